import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Database } from "#core/db/Database.ts";
import { streamClient } from "#plugins/streams/testing/streamClient.ts";
import { streamWorld } from "#plugins/streams/testing/streamWorld.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let db: Database;
let world: Awaited<ReturnType<typeof streamWorld>>;

beforeAll(async () => {
	database = await createTestDatabase();
	db = database.db;
	world = await streamWorld(db);
});
afterAll(async () => {
	await world.close();
	await database.drop();
});

/** Returns the answer to a refused upgrade. */
async function refusal(path: string) {
	const response = await fetch(`${world.url}${path}`, {
		headers: {
			connection: "Upgrade",
			upgrade: "websocket",
			"sec-websocket-version": "13",
			"sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
		},
	});
	return {
		status: response.status,
		type: response.headers.get("content-type"),
		body: await response.json(),
	};
}

test("a stream of an unknown collection is a 404 problem before the upgrade", async () => {
	const answer = await refusal("/collections/nothing/stream");
	expect(answer).toMatchObject({ status: 404, type: "application/problem+json" });
	expect(answer.body).toMatchObject({ code: "not_found", status: 404 });
});

test.each([
	["after=abc", "after"],
	["after=-1", "after"],
	["after=1.5", "after"],
	["after=1e3", "after"],
	["after=99999999999999999999", "after"],
	["after=", "after"],
	["epoch=%21", "epoch"],
	["chain=nowhere", "chain"],
	["chain=polygon", "chain"],
	["chain=%3Cscript%3E", "chain"],
	["after=%201", "after"],
])("a query of %s is a 422 problem that names its member", async (query, path) => {
	for (const stream of ["/collections/c-bad/stream", "/discover/stream"]) {
		const answer = await refusal(`${stream}?${query}`);
		expect(answer).toMatchObject({ status: 422, type: "application/problem+json" });
		expect(answer.body.code).toBe("validation_error");
		expect(answer.body.issues[0].path).toBe(path);
	}
});

test("resuming the discover stream of every chain at once is a 422 problem", async () => {
	const answer = await refusal("/discover/stream?after=1");
	expect(answer).toMatchObject({ status: 422, body: { code: "validation_error" } });
	expect(answer.body.detail).toContain("one chain");
});

test("a plain GET of a stream is a 426 problem", async () => {
	for (const path of ["/collections/c-plain/stream", "/discover/stream"]) {
		const response = await fetch(`${world.url}${path}`);
		expect(response.status).toBe(426);
		expect(await response.json()).toMatchObject({ code: "upgrade_required" });
	}
});

test("a collection is looked up once for each stream that is opened", async () => {
	world.finds.length = 0;
	const client = streamClient(`${world.url}/collections/c-once/stream`);
	await client.next();
	expect(world.finds).toEqual(["c-once"]);
	client.close();
});

test("[MRG-16] an open stream of a collection renews its watch with each ping; discover does not", async () => {
	world.touches.length = 0;
	const client = streamClient(`${world.url}/collections/c-watched/stream`);
	const discover = streamClient(`${world.url}/discover/stream?chain=base`);
	await Promise.all([client.next(), discover.next()]);
	expect(world.touches).toEqual([[1, "stream"]]);
	world.moveClock(15_000);
	expect(await client.next()).toMatchObject({ type: "ping" });
	expect(world.touches).toEqual([
		[1, "stream"],
		[1, "stream"],
	]);
	client.close();
	discover.close();
});

test("a chain may be given by alias or id, and the index is queried by its slug", async () => {
	for (const name of ["base", "BASE", "8453"]) {
		const client = streamClient(`${world.url}/collections/c-chain/stream?chain=${name}`);
		expect((await client.next()).topic).toStartWith("collection:base:0x");
		client.close();
	}
});

test("discover sends a hello for each indexed chain, or for the given one", async () => {
	const all = streamClient(`${world.url}/discover/stream`);
	const hellos = await all.take(2);
	expect(hellos.map(({ type, topic }) => [type, topic])).toEqual([
		["hello", "discover:base"],
		["hello", "discover:ethereum"],
	]);
	const one = streamClient(`${world.url}/discover/stream?chain=ethereum`);
	expect(await one.next()).toMatchObject({ type: "hello", topic: "discover:ethereum" });
	all.close();
	one.close();
});
