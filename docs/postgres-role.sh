# Runs when the cluster is made. doorlock's role owns its database and is no superuser. The superuser has no password any more: it is
# let in from within the container only (docker compose exec database psql --username=postgres).
psql --set=ON_ERROR_STOP=1 --set=password="$POSTGRES_PASSWORD" --username=postgres <<'SQL'
create role doorlock login password :'password';
create database doorlock owner doorlock;
alter role postgres password null;
SQL
