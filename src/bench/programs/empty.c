/* What a run costs without a program in it. */
int main(void) {
    return 0;
}
