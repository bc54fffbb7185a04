#!/usr/bin/env node
// The name of this file is the name of the program.
import "holdfast/cli";
