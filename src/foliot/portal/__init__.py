"""The portal: pages made on the server, for people."""
