/* Numbers of the servers' errors: the same in MySQL and MariaDB up to 1500. */
#include "judge/sql_case.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Memory, sort memory, full tables and disks, the session's memory. */
static const unsigned memory_codes[] = {3, 28, 1021, 1037, 1038, 1041, 1114, 1135, 1290};

static const unsigned plain_codes[] = {
    1046, 1049, 1050, 1051, 1052, 1054, 1055, 1056, 1059, 1060, 1061, 1063, 1064, 1065, 1066, 1068,
    1072, 1075, 1091, 1093, 1101, 1103, 1109, 1110, 1111, 1136, 1139, 1140, 1142, 1143, 1146, 1149,
    1166, 1191, 1222, 1235, 1239, 1241, 1242, 1247, 1248, 1250, 1267, 1271, 1304, 1305, 1318, 1327,
    1349, 1353, 1359, 1364, 1370, 1382, 1413, 1415, 1422, 1424, 1442, 1451, 1452, 1463, 4078, 4015,
};

static bool has(const unsigned *codes, size_t count, unsigned code) {
    for (size_t i = 0; i < count; i++) {
        if (codes[i] == code) {
            return true;
        }
    }
    return false;
}

enum verdict sql_error_verdict(unsigned code) {
    return has(memory_codes, COUNT(memory_codes), code) ? VERDICT_MEMORY_LIMIT_EXCEEDED
                                                        : VERDICT_RUNTIME_ERROR;
}

bool sql_error_is_plain(unsigned code) {
    return has(plain_codes, COUNT(plain_codes), code);
}
