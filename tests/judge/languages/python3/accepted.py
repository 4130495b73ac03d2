import sys

words = sys.stdin.read().split()
print(sum(int(word) for word in words[1:]))
