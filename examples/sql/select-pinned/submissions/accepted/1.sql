SELECT placed, DATEDIFF(placed, LAG(placed) OVER (ORDER BY placed)) FROM orders ORDER BY placed;
