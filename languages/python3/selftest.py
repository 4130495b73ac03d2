# assize-speed-ms: 200
import socket


def is_refused():
    try:
        open("/etc/passwd").close()
        return False
    except OSError:
        pass
    try:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.0.2.1", 9))
        return False
    except OSError:
        return True


word = input().strip()
x = 1
if word == "time":
    while True:
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
if word == "memory":
    pieces = [bytes([i % 255 + 1]) * (1 << 20) for i in range(300)]
    print(len(pieces))
if word == "crash":
    raise RuntimeError("on purpose")
if word == "forbidden":
    word = "refused" if is_refused() else "allowed"
if word == "speed":
    for _ in range(1500000):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
print(word)
