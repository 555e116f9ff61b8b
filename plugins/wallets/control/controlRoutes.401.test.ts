import { afterAll, beforeAll, expect, test } from "bun:test";
import { openControl, prepareControl } from "#plugins/wallets/control/testing/controlLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let control: ReturnType<typeof openControl>;
beforeAll(async () => {
	database = await createTestDatabase();
	await prepareControl(database.db);
	control = openControl(database.db);
});
afterAll(() => database.drop());

const strangers: [what: string, path: string, body: unknown][] = [
	["the list", "", undefined],
	["a switch", "/kill:all", { value: true }],
	["a switch with a bad value", "/kill:all", { value: "yes" }],
	["a body of another shape", "/kill:all", [1, 2]],
	["a setting that does not exist", "/kill:everything", { value: true }],
];
for (const [what, path, body] of strangers) {
	test(`${what}: a stranger hears 401 and nothing else, and nothing is changed`, async () => {
		for (const key of ["", "an-operator-s-key-0002"]) {
			const headers = { "x-api-key": key, "x-forwarded-for": `203.0.113.${path.length}` };
			const answer = await control.ask(path, { body, headers });
			expect({ status: answer.status, code: answer.body.code }).toEqual({
				status: 401,
				code: "unauthorized",
			});
		}
		expect(await database.db.query("select key from wallets.control")).toEqual([]);
		expect(await control.audited()).toEqual([]);
	});
}

test("the key is asked for by the operators' routes alone", async () => {
	const beside = new Request("http://localhost/v1/trading/settings");
	expect((await control.app.handle(beside)).status).toBe(200);
});
