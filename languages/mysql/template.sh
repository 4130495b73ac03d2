# The system tables of a MariaDB, without users but root, whom only the node's own socket reaches, and
# the locked one that owns the views of the system.
# Sizes of files must be those of start.sh, or InnoDB refuses them.
set -eu
scripts=/usr/share/mysql
mkdir data
{
    printf 'create database mysql;\nuse mysql;\nset @auth_root_socket = null;\n'
    cat "$scripts/mysql_system_tables.sql" "$scripts/mysql_performance_tables.sql" \
        "$scripts/mysql_system_tables_data.sql"
    printf "delete from mysql.global_priv where user not in ('root', 'mariadb.sys') or host <> 'localhost';\n"
    printf "delete from mysql.proxies_priv;\n"
} | /usr/sbin/mariadbd --no-defaults --bootstrap --datadir=/w/data --tmpdir=/tmp --lc-messages=en_US \
    --enforce-storage-engine= --skip-log-bin --performance-schema=OFF --log-warnings=0 \
    --max-allowed-packet=8M --aria-log-file-size=8M --innodb-data-file-path=ibdata1:5M:autoextend \
    --innodb-autoextend-increment=1 --innodb-undo-tablespaces=0 --innodb-log-file-size=8M \
    --innodb-buffer-pool-size=16M --innodb-doublewrite=0 --innodb-use-native-aio=0 \
    --innodb-flush-log-at-trx-commit=0 >&2
tar -cSf template.tar data
gzip -1 template.tar
