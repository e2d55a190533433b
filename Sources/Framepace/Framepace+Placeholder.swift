// Framepace
