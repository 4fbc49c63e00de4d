#!/bin/bash
# Runs a command in a container created from ratingd's image (docs/containers.md).
#
# "serve" starts the workers.
# "nginx" starts the web server in front of the workers and WordPress.
# "setup" installs WordPress if necessary, installs the plugin, and creates the database accounts, the tables and
# the secret. It is safe to run "setup" repeatedly.
# "maintain" runs the daily maintenance.
# "reload" replaces the workers of a running container one by one.
# "health" checks that nginx responds in the nginx container, and that the workers respond in any other container.
#
# Any other command, such as "ratingctl status", runs unchanged.
set -euo pipefail

secret() { cat "/run/secrets/$1"; }

sql() { MYSQL_PWD=$(secret db-root) mariadb --host="$DB_HOST" --user=root "$@"; }

# spawn-fcgi opens the socket as file descriptor 0 and then executes the supervisor.
serve() { exec spawn-fcgi -n -s "$RATINGD_LISTEN" -M 0600 -b 4096 -- "$0" supervise; }

start_worker() {
  env --unset=RATINGD_LISTEN ratingd <&0 &
  started=$SECONDS
}

stop_workers() {
  local pids
  mapfile -t pids < <(jobs -p)
  kill -TERM "${pids[@]}" || true  # a worker may have ended
}

# The supervisor keeps the socket open, so new connections wait while a worker is replaced. Debian's multiwatch
# program is not suitable as the supervisor, because even with "--signal=TERM", it sends SIGQUIT, which ratingd
# ignores.
supervise() {
  local started stopping=
  trap 'stopping=yes; stop_workers' TERM INT
  for _ in $(seq "$RATINGD_PROCESSES"); do start_worker; done
  until [[ $stopping ]]; do
    wait -n || true
    [[ $stopping ]] && break
    # If workers exit immediately after they start, at most one worker is started per second.
    if ((SECONDS - started < 2)); then sleep 1; fi
    start_worker
  done
  stop_workers
  wait
}

# Copies ratingd's nginx files, inserts the path of ratingd's socket and the site's scheme (http or https) into the
# copies, and runs nginx.
serve_http() {
  local network https="\$https"
  [[ $SITE_URL == https://* ]] && https=on
  mkdir -p /tmp/nginx
  sed "s|unix:/run/ratingd/ratingd.sock|unix:$RATINGD_LISTEN|; s|default  *\$https;|default $https;|" \
    /etc/ratingd/nginx/ratingd-upstream.conf >/tmp/nginx/ratingd-upstream.conf
  for network in ${PROXIES-}; do echo "set_real_ip_from $network;"; done >/tmp/nginx/proxies.conf
  exec nginx -e stderr -c /etc/ratingd/nginx/container.conf -g 'daemon off;'
}

# Percent-encodes every byte of the argument.
encoded() { printf %s "$1" | od -An -v -tx1 | tr -d '\n' | tr ' ' %; }

# Submits WordPress's installation form directly to PHP, so that WordPress is installed before anybody can reach
# nginx. WordPress derives the site's URL from the host and the scheme of the submitted form.
install_wordpress() {
  local password body host=${SITE_URL#*://} https=
  password=$(encoded "$(secret wordpress-admin)")
  [[ $SITE_URL == https://* ]] && https=on
  body="weblog_title=$(encoded "$SITE_TITLE")&user_name=admin&admin_email=$(encoded "$ADMIN_EMAIL")&pw_weak=1"
  body+="&admin_password=$password&admin_password2=$password"
  printf %s "$body" | env --ignore-environment SCRIPT_FILENAME=/var/www/html/wp-admin/install.php \
    REQUEST_METHOD=POST REQUEST_URI=/wp-admin/install.php?step=2 QUERY_STRING=step=2 SCRIPT_NAME=/wp-admin/install.php \
    CONTENT_TYPE=application/x-www-form-urlencoded CONTENT_LENGTH=${#body} HTTP_HOST="${host%%/*}" HTTPS=$https \
    SERVER_PROTOCOL=HTTP/1.1 REMOTE_ADDR=127.0.0.1 cgi-fcgi -bind -connect "$PHP_HOST:9000" >/dev/null
}

# Prints the number of WordPress users. The WordPress installer creates the first user only after it has created
# all tables.
users() { sql wordpress --skip-column-names --execute "SELECT COUNT(*) FROM wp_users"; }

# WordPress may be loading the plugin, so each changed file or folder is copied under a temporary name and then
# renamed. The PHP file that loads the plugin's folder is replaced last.
install_plugin() {
  local source name plugins=/var/www/html/wp-content/mu-plugins
  local new=$plugins/.ratingd-new old=$plugins/.ratingd-old
  mkdir -p "$plugins"
  rm -rf "$new" "$old"  # left by an interrupted start
  for source in /usr/share/ratingd/wordpress/*; do
    name=$plugins/${source##*/}
    if diff -rq "$source" "$name" &>/dev/null; then continue; fi
    cp -r "$source" "$new"
    if [[ -d $name ]]; then mv "$name" "$old"; fi
    mv --no-target-directory "$new" "$name"
    rm -rf "$old"
  done
}

set_up() {
  local tables account
  tables=$(sql wordpress --execute "SHOW TABLES LIKE 'wp_options'")
  [[ $tables ]] || install_wordpress
  if (($(users) == 0)); then
    echo "WordPress is not completely installed: delete its tables in the database wordpress, and start again." >&2
    exit 1
  fi
  install_plugin
  [[ -e $RATINGD_SECRET_FILE ]] || ratingctl init-secret
  for account in ratingd ratingctl; do
    echo "CREATE USER IF NOT EXISTS $account@'%'; ALTER USER $account@'%' IDENTIFIED BY '$(secret "db-$account")';"
  done | sql
  ratingctl grants 'ratingd@%' 'ratingctl@%' | sql
  ratingctl migrate
}

# Runs the maintenance ten minutes after each start and then once a day. If a maintenance run fails, the error is
# logged, and the next run completes the work.
maintain() {
  local pause=600
  trap 'exit 0' TERM
  while true; do
    sleep "$pause" &
    wait $!
    ratingctl maintain || true
    pause=86400
  done
}

workers() { grep --line-regexp --files-with-matches --no-messages ratingd /proc/[0-9]*/comm | cut -d/ -f3; }

are_all_ready() { ratingctl status | grep --quiet "^workers  *$RATINGD_PROCESSES of"; }

reload() {
  local worker
  for worker in $(workers); do
    kill -TERM "$worker" || true  # the worker may have ended
    SECONDS=0
    while [[ -e /proc/$worker ]] || ! are_all_ready; do
      if ((SECONDS > 60)); then
        echo "The worker that replaces $worker is not ready after a minute; the others were not replaced:" >&2
        ratingctl status >&2
        exit 1
      fi
      sleep 0.2
    done
  done
}

check_health() {
  local path=/wp-json/ratingd/v1
  case $(</proc/1/comm) in
    nginx) curl --silent --fail --output /dev/null "http://127.0.0.1:8080$path/ratingd-widget.js" ;;
    *)
      env REQUEST_METHOD=GET REQUEST_URI=$path/health SENT_URI=$path/health REMOTE_ADDR=127.0.0.1 \
        cgi-fcgi -bind -connect "$RATINGD_LISTEN" | grep --quiet '^Status: 200'
      ;;
  esac
}

case $1 in
  serve) serve ;;
  nginx) serve_http ;;
  setup) set_up ;;
  maintain) maintain ;;
  supervise) supervise ;;
  reload) reload ;;
  health) check_health ;;
  *) exec "$@" ;;
esac
