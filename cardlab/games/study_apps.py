"""Declares the settings of the apps that are not games: the consent and the questionnaire."""

from cardlab.games.session_config import declare_app
from cardlab.games.setting import DESIGN, Setting, Text, file_name, one_of
from cardlab.games.shared_settings import OFF

AUTO = "auto"  # the value of a setting for a sentence that is computed


def _consent_sentence(label: str, says: str) -> Setting:
    """Returns the setting for a sentence of the consent page. ``says`` describes the sentence."""
    return Setting(
        AUTO,
        DESIGN,
        label,
        Text(f"{AUTO}, {OFF}, or your own sentence"),
        f"{says} `{AUTO}` computes it from the config; `{OFF}` says nothing.",
    )


consent = declare_app(
    "consent_app",
    "consent",
    "Consent",
    {
        "consent_text": Setting(
            "Text.html",
            DESIGN,
            "Consent text",
            file_name("consent_app/"),
            "The template with the text of the consent.",
        ),
        "expected_duration": _consent_sentence("Expected duration", "Says how long playing takes."),
        "expected_pay": _consent_sentence(
            "Expected pay", "Says between which amounts participants are paid."
        ),
    },
    demo_participants=1,
    is_game=False,
)
questionnaire = declare_app(
    "questionnaire_app",
    "questionnaire",
    "Questionnaire",
    {
        "questions": Setting(
            "age gender field_of_study difficulty strategy",
            DESIGN,
            "Questions",
            Text("names of questions"),
            "The questions to ask, separated by blanks. The default has all.",
        ),
        "answers": Setting(
            "required",
            DESIGN,
            "Answers",
            one_of(required="each question must be answered", free="questions may be left empty"),
            "Whether participants may leave a question empty.",
        ),
    },
    demo_participants=1,
    is_game=False,
)
