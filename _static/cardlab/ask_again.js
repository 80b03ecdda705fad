/** Asks once more before something that cannot be undone. A dialog's first button goes back, its last one does it. */

/**
 * @param {HTMLDialogElement} dialog
 * @param {() => void} go done if the participant is sure
 */
export function askAgain(dialog, go) {
  const [back, sure] = dialog.querySelectorAll("button");
  back.onclick = () => dialog.close();
  sure.onclick = () => {
    dialog.close();
    go();
  };
  dialog.showModal();
}
