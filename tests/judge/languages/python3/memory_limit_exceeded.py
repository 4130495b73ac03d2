pieces = [bytearray(1 << 20) for _ in range(300)]
for piece in pieces:
    piece[:] = b"x" * len(piece)
print(len(pieces))
