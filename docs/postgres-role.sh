# Runs when the cluster is created. doorlock's role owns its database and is not a superuser. The superuser loses its password, and can
# connect only from inside the container (docker compose exec database psql --username=postgres).
psql --set=ON_ERROR_STOP=1 --set=password="$POSTGRES_PASSWORD" --username=postgres <<'SQL'
create role doorlock login password :'password';
create database doorlock owner doorlock;
alter role postgres password null;
SQL
