// The protocol of ICPC's output validators: input, answer, folder for feedback; 42 is right, 43 wrong.
#include <fstream>
#include <iostream>

int main(int, char **argv) {
    std::ifstream answer(argv[2]);
    long long expected, got;
    return answer >> expected && std::cin >> got && got == expected ? 42 : 43;
}
