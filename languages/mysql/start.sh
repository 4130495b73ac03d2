# One server of one slot: its data folder and all it writes are in the memory of its own cgroup, and
# gone with it. It takes over the socket that it finds open (LISTEN_FDS) and knows no network.
set -eu
gzip -dc "$1" | tar -xf - --no-same-owner
mkdir empty
export LISTEN_FDS=1 LISTEN_PID=2
exec /usr/sbin/mariadbd --no-defaults --datadir=/w/data --tmpdir=/tmp --secure-file-priv=/w/empty \
    --socket=/w/unused --pid-file=/w/pid --skip-networking --skip-name-resolve --skip-log-bin \
    --lc-messages=en_US --log-warnings=1 --performance-schema=OFF --event-scheduler=OFF --local-infile=0 \
    --skip-symbolic-links --skip-show-database --enforce-storage-engine=InnoDB --query-cache-type=0 \
    --query-cache-size=0 --innodb-data-file-path=ibdata1:5M:autoextend --innodb-autoextend-increment=1 \
    --innodb-undo-tablespaces=0 --innodb-log-file-size=8M --innodb-log-buffer-size=2M \
    --innodb-buffer-pool-size=16M --innodb-doublewrite=0 --innodb-use-native-aio=0 \
    --innodb-flush-log-at-trx-commit=0 --innodb-flush-method=nosync --innodb-file-per-table=1 \
    --innodb-temp-data-file-path=ibtmp1:2M:autoextend:max:256M --innodb-buffer-pool-load-at-startup=0 \
    --innodb-buffer-pool-dump-at-shutdown=0 --innodb-read-io-threads=1 --innodb-write-io-threads=1 \
    --innodb-purge-threads=1 --innodb-stats-persistent=0 --innodb-stats-auto-recalc=0 \
    --innodb-lock-wait-timeout=5 --lock-wait-timeout=5 --aria-log-file-size=8M \
    --aria-pagecache-buffer-size=2M --key-buffer-size=1M --thread-cache-size=4 --max-connections=16 \
    --max-allowed-packet=16M --max-session-mem-used=134217728 --tmp-table-size=32M \
    --max-heap-table-size=32M --max-recursive-iterations=10000 --userstat=1 \
    --default-time-zone=+00:00 --character-set-server=utf8mb4 --collation-server=utf8mb4_unicode_ci \
    --sql-mode=STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,ONLY_FULL_GROUP_BY
