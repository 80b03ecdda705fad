"""What the apps share on the oTree side: hand pages, the record, the hand socket, configs, exports."""
