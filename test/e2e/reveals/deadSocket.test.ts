import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import { type Hex, toEventSelector } from "viem";
import type { TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import { openRevealLab, type RevealLab, sealed, shownAs } from "./openRevealLab.ts";

// Guarantee: the logs of watched contracts, and of no others, come over a real node's socket; a
// socket that goes silent or breaks is replaced, and reveals are noticed by their logs again.

type Wire = {
	/** The address of the node's socket through this wire. */
	url: string;
	/** Returns how many connections there were so far. */
	opened(): number;
	/** Returns whether the node ever sent this text. */
	carried(text: string): boolean;
	/** Keeps all connections open, and passes nothing on any more; new ones work. */
	mute(): void;
	/** Ends all connections; new ones work. */
	cut(): void;
	stop(): Promise<void>;
};

type Connection = { client: Socket; node: Socket; isMute: boolean };

const COUNT = 10;
const TICK_MS = 20_000;
/** What these contracts log with a new base. */
const OWN_EVENT = toEventSelector("ProvenanceHashUpdated(bytes32,bytes32)");
let made: RevealLab;
let wire: Wire;
let service: TestService;

beforeAll(async () => {
	made = await openRevealLab();
	made.lab.served = (path) => {
		const [, folder = "", id = ""] = path.split("/");
		return folder.startsWith("shown") ? shownAs(Number(id)) : sealed;
	};
	wire = await startWire(made.anvil.wsUrl);
	service = await made.start({
		chain: { url: made.anvil.url, wsUrl: wire.url },
		// A log is the only reason to look.
		env: { NFT_REVEAL_SIGNALS: "log,uri_hash" },
	});
});
afterAll(async () => {
	await made?.close();
	await wire?.stop();
});

/** Makes a hidden collection; watched, it is waited for until it was seen to be hidden. */
async function hidden(name: string, { isWatched = true } = {}): Promise<Hex> {
	const given = { name, base: `sealed-${name}`, count: COUNT };
	const { contract, id } = await made.collection(service, given);
	if (!isWatched) return contract;
	await made.watch(service, id);
	await until(async () => {
		const [seen] = await service.core.db.query<{ reading: string }>(
			"select reading from reveal_snipe.seen where collection_id = $1",
			[id],
		);
		return seen?.reading === "hidden";
	}, `${name} is seen to be hidden`);
	return contract;
}

const reveal = (contract: Hex, name: string) =>
	made.setBase(contract, `shown-${name}/`, { isShared: false, tells: 2 });

async function rowOf(contract: Hex): Promise<any> {
	const { body } = await service.get("/v1/nft-market/reveals?chain=anvil&limit=200");
	return body.data.find((row: { contractAddress: Hex }) => row.contractAddress === contract);
}

/** Lets a collection log again and again, until one of its logs was heard. */
async function untilNoticed(contract: Hex, name: string): Promise<void> {
	await until(async () => {
		if ((await rowOf(contract))?.phase === "revealed") return true;
		await reveal(contract, name);
		return false;
	}, `${name} is revealed`);
	expect((await rowOf(contract)).detection).toMatchObject({ signal: "log", evidence: "uri_hash" });
}

test("[RVL-02] a contract that is armed later is subscribed to as well, and an unarmed one is not", async () => {
	const first = await hidden("first");
	await untilNoticed(first, "first");
	const stranger = await hidden("stranger", { isWatched: false });
	const second = await hidden("second");
	await reveal(stranger, "stranger");
	await untilNoticed(second, "second");
	// Transfers of every contract come over the wire: these are the index's.
	const isPushed = (contract: Hex) =>
		wire.carried(`"address":"${contract}","topics":["${OWN_EVENT}"`);
	expect([first, second, stranger].map(isPushed)).toEqual([true, true, false]);
});

test("[RVL-02] a node's socket that goes silent is found by a probe in the next tick, and replaced", async () => {
	const contract = await hidden("silent");
	const before = wire.opened();
	wire.mute();
	await reveal(contract, "silent");
	expect(await rowOf(contract)).toMatchObject({ phase: "armed", detection: null });
	await until(() => {
		made.advance(TICK_MS);
		return wire.opened() > before;
	}, "another socket is opened");
	await untilNoticed(contract, "silent");
});

test("[RVL-02] a node's socket that breaks is replaced at once", async () => {
	const contract = await hidden("broken");
	wire.cut();
	await untilNoticed(contract, "broken");
});

/** Starts a wire in front of a node's WebSocket, which can go silent or break. */
async function startWire(wsUrl: string): Promise<Wire> {
	const { hostname, port } = new URL(wsUrl);
	const open = new Set<Connection>();
	const texts: string[] = [];
	let opened = 0;
	const drop = (one: Connection) => {
		open.delete(one);
		one.client.destroy();
		one.node.destroy();
	};
	const server = createServer((client) => {
		const one = { client, node: connect(Number(port), hostname), isMute: false };
		open.add(one);
		opened++;
		for (const socket of [client, one.node]) {
			socket.on("error", () => drop(one));
			socket.on("close", () => drop(one));
		}
		client.on("data", (chunk) => one.isMute || one.node.write(chunk));
		one.node.on("data", (chunk) => {
			if (one.isMute) return;
			// A node's frames are not masked.
			texts.push(chunk.toString("latin1"));
			client.write(chunk);
		});
	});
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("it has no port");
	return {
		url: `ws://127.0.0.1:${address.port}`,
		opened: () => opened,
		carried: (text) => texts.join("").toLowerCase().includes(text.toLowerCase()),
		mute() {
			for (const one of open) one.isMute = true;
		},
		cut() {
			for (const one of [...open]) drop(one);
		},
		async stop() {
			for (const one of [...open]) drop(one);
			await new Promise<void>((done) => server.close(() => done()));
		},
	};
}
