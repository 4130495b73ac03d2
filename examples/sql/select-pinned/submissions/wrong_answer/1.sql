SELECT placed, IFNULL(DATEDIFF(placed, LAG(placed) OVER (ORDER BY placed)), 0) FROM orders ORDER BY placed;
