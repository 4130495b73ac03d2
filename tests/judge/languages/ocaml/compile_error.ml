let count : int = "text"
