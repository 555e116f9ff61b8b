import { expect, test } from "bun:test";
import fc from "fast-check";
import { nameDatabase } from "#api/service/openStorage.ts";

const named = (database: string, host: string, port: number) =>
	`PostgreSQL at DATABASE_URL: database "${database}" on ${host}, port ${port}`;

const cases: [url: string, name: string][] = [
	["postgresql://me:pa55word@db.example/tapeline", named("tapeline", "db.example", 5432)],
	[
		"postgres://me:pa55word@db.example:6432/other?sslmode=require",
		named("other", "db.example", 6432),
	],
	[
		"postgres:///shop?host=/run/postgresql&password=pa55word",
		named("shop", "/run/postgresql", 5432),
	],
];
for (const [url, name] of cases) {
	test(`a database is named by name, host and port: ${name}`, () => {
		expect(nameDatabase(url)).toBe(name);
	});
}

test("a password that breaks the URL is not taken for a host", () => {
	for (const password of ["pa55/word", "pa55?word", "pa55#word"]) {
		expect(nameDatabase(`postgres://me:${password}@db.example/tapeline`)).not.toContain("pa55");
	}
});

test("a written password is never part of the name", () => {
	fc.assert(
		fc.property(fc.string({ minLength: 6, maxLength: 30, unit: "grapheme" }), (text) => {
			const password = `~${text}~`;
			const url = `postgres://me:${encodeURIComponent(password)}@db.example/tapeline`;
			expect(nameDatabase(url)).toBe(named("tapeline", "db.example", 5432));
		}),
	);
});
