#include <iostream>
#include <vector>

int main() {
    std::vector<std::vector<char>> pieces;
    for (int i = 0; i < 300; i++) {
        pieces.emplace_back(1 << 20, static_cast<char>(i));
    }
    std::cout << pieces.size() << "\n";
}
