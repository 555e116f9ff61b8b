import { afterAll, beforeAll, expect, test } from "bun:test";
import { httpFault } from "#core/http/faults.ts";
import { streamClient } from "#plugins/streams/testing/streamClient.ts";
import { streamWorld } from "#plugins/streams/testing/streamWorld.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: what somebody asked for is streamed to them alone, to whom their session or a fresh
// ticket opens it, and for no longer.

const ANN = "0198c1d2-7f1e-7a55-9f30-000000000001";
const BOB = "0198c1d2-7f1e-7a55-9f30-000000000002";
const topic = `intents:${ANN}`;
const ORIGIN = "https://app.example";

let database: TestDatabase;
let world: Awaited<ReturnType<typeof streamWorld>>;
const sessions = new Map<string, string>();
/** Whether each question about who is signed in was a use of the session. */
const uses: boolean[] = [];

beforeAll(async () => {
	database = await createTestDatabase();
	world = await streamWorld(database.db, {
		async callerOf({ headers }, { isUse } = { isUse: true }) {
			uses.push(isUse);
			const token = headers.get("authorization") ?? headers.get("cookie");
			if (token === null) return null;
			const profileId = sessions.get(token);
			if (profileId === undefined) throw httpFault.unauthorized();
			return profileId;
		},
	});
	sessions.set("Bearer ann", ANN).set("session=ann", ANN).set("Bearer bob", BOB);
});
afterAll(async () => {
	await world.close();
	await database.drop();
});

const open = (headers?: Record<string, string>, query = "") =>
	streamClient(`${world.root}/v1/intents/stream${query}`, headers);

async function ticketOf(bearer: string): Promise<string> {
	const response = await post({ authorization: bearer });
	expect(response.status).toBe(201);
	expect(response.headers.get("cache-control")).toBe("no-store");
	return ((await response.json()) as { ticket: string }).ticket;
}
const post = (headers: Record<string, string>) =>
	fetch(`${world.root}/v1/intents/stream-tickets`, { method: "POST", headers });

/** Sends the first message once the socket is open. */
function openWith(message: unknown, query = "") {
	const client = open(undefined, query);
	return { ...client, sent: sendOnceOpen(client, message) };
}

const sendOnceOpen = (client: ReturnType<typeof open>, message: unknown) =>
	until(async () => {
		try {
			client.send(JSON.stringify(message));
			return true;
		} catch {
			return false;
		}
	}, "the socket is open");
const withTicket = (ticket: string, query = "") => openWith({ type: "ticket", ticket }, query);

async function refusal(client: ReturnType<typeof open>) {
	const { type, data } = await client.next();
	const { code, reason } = await client.closed;
	return [type, data["code"], code, reason];
}

test("a session opens it: a bearer token, or a cookie with an allowed Origin", async () => {
	for (const headers of [
		{ authorization: "Bearer ann" },
		{ cookie: "session=ann", origin: ORIGIN },
	]) {
		const client = open(headers);
		expect(await client.next()).toMatchObject({ type: "hello", topic });
		await world.commit(topic, ["hers"]);
		expect(await client.next()).toMatchObject({ topic, data: "hers" });
		await world.commit(`intents:${BOB}`, ["his"]);
		await world.commit(topic, ["hers again"]);
		expect(await client.next()).toMatchObject({ data: "hers again" });
		client.close();
	}
});

test("a cookie from another origin is 403, a wrong session 401, before the upgrade", async () => {
	const plain = async (headers: Record<string, string>) => {
		const upgrade = { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
		const key = { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
		const response = await fetch(`${world.root}/v1/intents/stream`, {
			headers: { ...upgrade, ...key, ...headers },
		});
		return [response.status, ((await response.json()) as { code: string }).code];
	};
	const foreign = { cookie: "session=ann", origin: "https://evil.example" };
	expect(await plain(foreign)).toEqual([403, "origin_not_allowed"]);
	expect((await post(foreign)).status).toBe(403);
	expect(await plain({ authorization: "Bearer nobody" })).toEqual([401, "unauthorized"]);
	expect((await post({})).status).toBe(401);
});

test("a ticket opens one stream, as its first message, and resumes as any stream does", async () => {
	const ticket = await ticketOf("Bearer ann");
	const client = withTicket(ticket);
	const { seq, epoch } = await client.next();
	await world.commit(topic, ["one", "two"]);
	expect((await client.take(2)).map(({ data }) => data as unknown)).toEqual(["one", "two"]);
	client.close();
	const again = withTicket(await ticketOf("Bearer ann"), `?after=${seq + 1}&epoch=${epoch}`);
	expect(await again.next()).toMatchObject({ type: "hello", data: { resumed: true } });
	expect(await again.next()).toMatchObject({ seq: seq + 2, data: "two" });
	again.close();
	const rows = await database.db.query<{ hash: Buffer }>("select hash from streams.ticket");
	expect(rows.map(({ hash }) => hash.toString()).join()).not.toContain(ticket);
});

test("a ticket that is used twice, late, unknown or none is told with a code, and closes with 4001", async () => {
	const used = await ticketOf("Bearer ann");
	const first = withTicket(used);
	await first.next();
	const refused = (code: string) => ["error", code, 4001, code];
	expect(await refusal(withTicket(used))).toEqual(refused("ticket_used"));
	const late = await ticketOf("Bearer ann");
	world.moveClock(60_000);
	expect(await refusal(withTicket(late))).toEqual(refused("ticket_expired"));
	const unknown = `svct_${"A".repeat(43)}`;
	expect(await refusal(withTicket(unknown))).toEqual(refused("ticket_unknown"));
	for (const other of [{ type: "ping" }, { type: "ticket", ticket: 7 }, "ticket", null]) {
		expect(await refusal(openWith(other))).toEqual(refused("ticket_missing"));
	}
	// The one that was granted goes on.
	await world.commit(topic, ["still hers"]);
	expect(await first.next()).toMatchObject({ data: "still hers" });
	first.close();
});

test("of many that use one ticket at once, one is let in", async () => {
	const ticket = await ticketOf("Bearer bob");
	const clients = Array.from({ length: 8 }, () => withTicket(ticket));
	const types = await Promise.all(clients.map(async (client) => (await client.next()).type));
	expect(types.toSorted()).toEqual([...Array.from({ length: 7 }, () => "error"), "hello"]);
	for (const client of clients) client.close();
});

test("a token in the URL is refused, and a cookie without an Origin says nothing", async () => {
	const response = await fetch(`${world.root}/v1/intents/stream?ticket=svct_x`, {
		headers: {
			...{ connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
			"sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
		},
	});
	expect(response.status).toBe(422);
	const client = open({ cookie: "session=ann" });
	await world.commit(topic, ["not for a mere cookie"]);
	await sendOnceOpen(client, { type: "ping" });
	expect(await refusal(client)).toEqual(["error", "ticket_missing", 4001, "ticket_missing"]);
});

test("a stream ends with its session, and a ticket's after a quarter of an hour", async () => {
	sessions.set("Bearer brief", ANN);
	const ticket = await ticketOf("Bearer ann");
	const clients = [open({ authorization: "Bearer brief" }), withTicket(ticket)];
	const lasting = open({ authorization: "Bearer ann" });
	for (const client of [...clients, lasting]) await client.next();
	sessions.delete("Bearer brief");
	const [brief, ticketed] = clients;
	uses.length = 0;
	world.moveClock(61_000);
	expect(await brief?.closed).toMatchObject({ code: 4001 });
	// A stream that goes on does not make its session last longer.
	expect(new Set(uses)).toEqual(new Set([false]));
	await world.commit(topic, ["after it"]);
	const next = async (client: ReturnType<typeof open> | undefined): Promise<unknown> => {
		const frame = await client?.next();
		return frame?.type === "ping" ? next(client) : frame?.data;
	};
	expect(await next(ticketed)).toBe("after it");
	world.moveClock(900_000);
	expect(await ticketed?.closed).toMatchObject({ code: 4001 });
	await world.commit(topic, ["for her"]);
	expect(await next(lasting)).toBe("after it");
	expect(await next(lasting)).toBe("for her");
	lasting.close();
});
