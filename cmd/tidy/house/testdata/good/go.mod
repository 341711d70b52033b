module example.test/vsr

go 1.26
