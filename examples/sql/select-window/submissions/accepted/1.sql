SELECT a.city, MIN(a.name) FROM customer a WHERE a.name > (SELECT MIN(name) FROM customer b WHERE b.city = a.city) GROUP BY a.city;
