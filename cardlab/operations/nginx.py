"""Configures nginx as the reverse proxy of several servers behind one address.

A request is routed by the room or the code in its path or query; a code begins with the server's letter.
Requests with neither, such as an admin's list of sessions or a waiting page's poll, are routed by a cookie
with the letter of the previous page.
"""

from pathlib import Path

from cardlab.operations.servers_file import Servers

COOKIE = "card_lab_server"
ROOM_PATHS = "room|cardlab/links|cardlab/free/room|room_with_session|room_without_session|CloseRoom"
CODE = "[a-z0-9]{7,8}"  # the rest of a code after the server's letter (cardlab.server.shard)

CONFIG = """\
# Written by lab.py each time it starts the servers: a change here is lost.
daemon off;
pid {folder}/nginx.pid;
error_log stderr warn;
worker_processes 2;
worker_rlimit_nofile 10240;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    server_tokens off;
    {temporary}
    client_max_body_size 16m;
    client_body_buffer_size 1m;
    proxy_max_temp_file_size 0;

    map $http_upgrade $connection_upgrade {{ default upgrade; "" ""; }}

    # Which server: by the path | a room | a participant's, a session's code in the query | the cookie.
    map "$uri|$arg_room_name|$arg_participant_code|$arg_session_code|$cookie_{cookie}" $card_lab {{
        default {first};
{rules}
    }}
    map $card_lab $card_lab_port {{
{ports}
    }}

    server {{
        absolute_redirect off;
        listen {host}:{port};
        location / {{
            proxy_pass http://127.0.0.1:$card_lab_port;
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
            proxy_read_timeout 1h;
            proxy_send_timeout 1h;
            add_header Set-Cookie "{cookie}=$card_lab; Path=/; HttpOnly; SameSite=Lax" always;
        }}
        location /static/ {{
            proxy_pass http://127.0.0.1:$card_lab_port;
            proxy_set_header Host $http_host;
        }}
        # For the admin: the pages of one server under the participants' address.
        location ~ ^/server/([{letters}])$ {{
            add_header Set-Cookie "{cookie}=$1; Path=/; HttpOnly; SameSite=Lax" always;
            add_header Cache-Control no-store always;
            return 302 /rooms;
        }}
        error_page 502 504 @away;
        location @away {{
            default_type text/plain;
            return 502 "The server is not responding. Please reload the page in a moment.";
        }}
    }}
}}
"""


def nginx_config(servers: Servers, folder: Path) -> str:
    """Returns the text of the configuration; nginx writes its files to ``folder``."""
    rules = []
    for room, letter in servers.room_letters.items():
        rules += [rf'"~^/({ROOM_PATHS})/{room}\|" {letter};', rf'"~^[^|]*\|{room}\|" {letter};']
    for server in servers.servers:
        code = f"{server.letter}{CODE}"
        rules += [
            rf'"~^/(p|hand)/{code}/" {server.letter};',
            rf'"~^/(?!p/|hand/|static/)([^/|]+/){{1,3}}{code}[/|]" {server.letter};',
            rf'"~\|{code}\|" {server.letter};',
        ]
    rules += [rf'"~\|{server.letter}$" {server.letter};' for server in servers.servers]
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    return CONFIG.format(
        folder=folder,
        temporary="\n    ".join(f'{kind}_temp_path "{folder}/nginx_{kind}";' for kind in kinds),
        cookie=COOKIE,
        first=servers.servers[0].letter,
        rules="\n".join(f"        {rule}" for rule in rules),
        ports="\n".join(f"        {server.letter} {server.port};" for server in servers.servers),
        letters="".join(server.letter for server in servers.servers),
        host=servers.host,
        port=servers.port,
    )
