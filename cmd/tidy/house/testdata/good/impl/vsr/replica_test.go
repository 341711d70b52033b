package vsr

import _ "time"
