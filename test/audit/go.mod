module earmark/audit

go 1.21

require golang.org/x/mod v0.17.0
