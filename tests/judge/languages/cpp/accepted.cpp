#include <iostream>
#include <numeric>
#include <vector>

int main() {
    int n = 0;
    std::cin >> n;
    std::vector<long long> values(n);
    for (auto &value : values) {
        std::cin >> value;
    }
    std::cout << std::accumulate(values.begin(), values.end(), 0LL) << "\n";
}
