# Card Lab in a container; its database is a PostgreSQL beside it: docs/how-to/host-on-a-server.md.
FROM python:3.11-slim-bookworm
ENV CARD_LAB_VENV=no PYTHONUNBUFFERED=1
WORKDIR /card-lab

# Before the project, so that a changed page does not install everything anew.
COPY requirements.txt ./
RUN pip install --no-cache-dir --require-hashes -r requirements.txt

COPY . .
# The server writes keys, logs and translations into its folder, and is not root.
RUN useradd --create-home lab && mkdir -p secrets logs exports && chown -R lab:lab /card-lab
USER lab

EXPOSE 8000
CMD ["python", "lab.py", "run", "--host", "0.0.0.0"]
