print("framepace")
