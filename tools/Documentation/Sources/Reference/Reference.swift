// The targets that are documented are those of the products that Package.swift names.
