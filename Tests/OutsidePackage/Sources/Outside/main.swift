import Framepace

print("an outside package builds with the product Framepace")
