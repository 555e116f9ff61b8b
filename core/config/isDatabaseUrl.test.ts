import { expect, test } from "bun:test";
import { isDatabaseUrl } from "#core/config/isDatabaseUrl.ts";

test.each([
	"postgres://localhost/tapeline",
	"postgresql://user:p%40ss@db.example:5433/tapeline?sslmode=require",
	"postgres:///tapeline?host=/var/run/postgresql",
	"postgres://user@localhost/tapeline?sslrootcert=/no/such/file&sslmode=verify-full",
])("%s can be read", (text) => {
	expect(isDatabaseUrl(text)).toBe(true);
});

test.each([
	"",
	"localhost",
	"mysql://localhost/tapeline",
	"postgres://user:pass#word@localhost:5432/tapeline",
	"postgres://localhost:port/tapeline",
])("%p is refused before anything is opened", (text) => {
	expect(isDatabaseUrl(text)).toBe(false);
});
