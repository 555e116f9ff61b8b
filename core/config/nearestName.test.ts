import { expect, test } from "bun:test";
import { nearestName } from "#core/config/nearestName.ts";

const known = ["PORT", "HOST", "ROLE", "CHAINS", "DATABASE_URL", "PROVIDER_API_KEY"];

test("a letter too many, too few, wrong, swapped or small is recognised", () => {
	const meant: Record<string, string> = {
		CHAIN: "CHAINS",
		DATABASEURL: "DATABASE_URL",
		DATBASE_URL: "DATABASE_URL",
		DATABASE_ULR: "DATABASE_URL",
		PROVIDER_APIKEY: "PROVIDER_API_KEY",
		provider_api_key: "PROVIDER_API_KEY",
		port: "PORT",
	};
	for (const [name, other] of Object.entries(meant)) expect(nearestName(name, known)).toBe(other);
});

test("a different word is not a misspelling", () => {
	for (const name of ["POST", "SORT", "PATH", "HOSTNAME", "SHELL", "CHAT", "X", "API_KEY"]) {
		expect(nearestName(name, known)).toBeUndefined();
	}
});
