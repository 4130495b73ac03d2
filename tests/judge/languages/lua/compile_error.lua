local function broken(
