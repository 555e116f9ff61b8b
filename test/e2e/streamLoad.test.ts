import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import {
	type RawStreamOptions,
	rawStreamClient,
} from "#plugins/streams/testing/rawStreamClient.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a client that does not read, does not answer or sends rubbish loses its own stream,
// with a reason and a way back; the service's memory stays bounded and no other client notices.

const SCRIPT = join(import.meta.dir, "../bench/reference/publishingService.ts");
const CONNECTIONS_MAX = 50;
const MB = 1_000_000;

type Order = { transactions: number; frames: number; padBytes?: number };

let database: TestDatabase;
let service: Awaited<ReturnType<typeof startPublisher>>;

beforeAll(async () => {
	database = await createTestDatabase();
	service = await startPublisher(database.connectionString);
});
afterAll(async () => {
	await service?.stop();
	await database?.drop();
});

/** Starts the service in a process of its own, so that its memory can be measured alone. */
async function startPublisher(connectionString: string) {
	const child = Bun.spawn([process.execPath, SCRIPT], {
		env: {
			PATH: process.env.PATH,
			HOME: process.env.HOME,
			DATABASE_URL: connectionString,
			PORT: "0",
			CHAINS: "anvil",
			CHAIN_RPC_URLS_JSON: JSON.stringify({ anvil: ["http://127.0.0.1:1"] }),
			LOG_LEVEL: "silent",
		},
		stdin: "pipe",
		stdout: "pipe",
		stderr: "inherit",
	});
	const lines = createInterface({ input: Readable.fromWeb(child.stdout as never) });
	const iterator = lines[Symbol.asyncIterator]();
	const line = async () => {
		const { value, done } = await iterator.next();
		if (done) throw new Error("the service ended");
		return JSON.parse(value);
	};
	const { url } = await line();
	return {
		url: url as string,
		/** Commits frames; returns the memory that the process then holds. */
		async publish(order: Order): Promise<number> {
			child.stdin.write(`${JSON.stringify(order)}\n`);
			child.stdin.flush();
			await line();
			return (await line()).residentBytes;
		},
		async metric(name: string): Promise<number> {
			const text = await (await fetch(new URL("/metrics", url))).text();
			const found = text.split("\n").find((one) => one.startsWith(`tapeline_${name} `));
			return Number(found?.split(" ").at(-1) ?? 0);
		},
		async stop() {
			child.kill("SIGTERM");
			await child.exited;
		},
	};
}

let lastAddress = 0;

/** Opens a client with an address of its own, as the proxy in front would state it. */
function open(query = "", options: RawStreamOptions = {}) {
	lastAddress += 1;
	const address = `10.7.${lastAddress >> 8}.${lastAddress & 255}`;
	const headers = { "x-forwarded-for": address, ...options.headers };
	return rawStreamClient(`${service.url}${query}`, { ...options, headers });
}

type Client = ReturnType<typeof open>;

const hello = (client: Client) => client.next(({ type }) => type === "hello");
const frame = (client: Client, seq: number) =>
	client.next((one) => one.type === "market_event" && one.seq === seq);
const seqsOf = (client: Client) =>
	client.frames.filter(({ type }) => type === "market_event").map(({ seq }) => seq);
const upTo = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, index) => from + index + 1);

// 10 readers that stop are sent 20 MB each, as far as they take it.
test("[STR-05] readers that stop during 200 MB of frames use no memory, get 4008, and resume without a gap", async () => {
	const witness = open();
	const { seq: startSeq, epoch } = await hello(witness);
	const order = { transactions: 1, frames: 6, padBytes: 20_000 };
	const rounds = 170;
	let head = startSeq;
	const round = async () => {
		head += order.frames;
		const [resident] = await Promise.all([service.publish(order), frame(witness, head)]);
		return resident;
	};
	for (let index = 0; index < 30; index += 1) await round();
	const joinedAt = head;
	const stuck = Array.from({ length: 10 }, () => open());
	for (const client of stuck) {
		await hello(client);
		client.socket.pause();
	}
	const before = await round();
	let peak = before;
	for (let index = 1; index < rounds; index += 1) peak = Math.max(peak, await round());

	expect(peak - before).toBeLessThan(64 * MB);
	expect(seqsOf(witness)).toEqual(upTo(startSeq, head));
	expect(await service.metric('ws_closed_total{code="4008"}')).toBe(10);
	expect(await service.metric('ws_connections{stream="collection"}')).toBe(1);
	const away = stuck.map(async (client) => {
		client.socket.resume();
		const code = await client.closed;
		// A client that reads in time finds the reason after its backlog; later the socket is just
		// gone.
		expect([4008, 1006]).toContain(code);
		const got = seqsOf(client);
		const last = joinedAt + got.length;
		expect(got).toEqual(upTo(joinedAt, last));
		const again = open(`&after=${last}&epoch=${epoch}`);
		expect(await hello(again)).toMatchObject({ seq: last, data: { resumed: true, head } });
		await frame(again, head);
		expect(seqsOf(again)).toEqual(upTo(last, head));
		again.socket.destroy();
	});
	await Promise.all(away);
	witness.socket.destroy();
});

test("[STR-05] a stream above an address's limit is closed with 4029, whatever headers it sends", async () => {
	const neighbour = open();
	const { seq } = await hello(neighbour);
	// Entries left of our proxy's are invented by the client.
	const forged = (index: number) => ({
		headers: { "x-forwarded-for": `198.51.100.${index}, 203.0.113.9` },
	});
	const granted = Array.from({ length: CONNECTIONS_MAX }, (_, index) => open("", forged(index)));
	for (const client of granted) await hello(client);
	for (const index of [101, 102, 103]) expect(await open("", forged(index)).closed).toBe(4029);
	const other = open();
	await hello(other);
	await service.publish({ transactions: 1, frames: 2 });
	for (const client of [neighbour, other, ...granted]) {
		await frame(client, seq + 2);
		expect(seqsOf(client)).toEqual([seq + 1, seq + 2]);
		client.socket.destroy();
	}
});

test("[STR-05] floods, oversized frames and garbage close the stream that sent them, and no other", async () => {
	const witness = open();
	const { seq } = await hello(witness);
	const hostile: [what: (client: Client) => void, codes: number[]][] = [
		[(client) => flood(client), [1008]],
		[(client) => client.write(1, Buffer.alloc(70_000, "x")), [1009, 1006]],
		// A reserved opcode; text that is no UTF-8; bytes that are no frame at all.
		[(client) => client.write(5, Buffer.from("x")), [1002, 1006]],
		[(client) => client.write(1, Buffer.from([0xff, 0xfe])), [1007, 1006]],
		[(client) => client.socket.write(Buffer.alloc(5_000, 0xff)), [1002, 1006, 1009]],
	];
	for (const [attack, codes] of hostile) {
		const client = open();
		await hello(client);
		attack(client);
		expect(codes).toContain(await client.closed);
		client.socket.destroy();
	}
	await service.publish({ transactions: 1, frames: 1 });
	await frame(witness, seq + 1);
	witness.socket.destroy();
});

function flood(client: Client): void {
	for (let index = 0; index < 500; index += 1) client.write(2, Buffer.alloc(100, index));
}
