import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { installOwnClient } from "#test/e2e/documents/ownClient.ts";
import { openStream } from "#test/harness/startTestService.ts";
import { TEST_LIMIT_MS, WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: one command shows a newcomer a live market; Ctrl-C leaves nothing behind; the next
// start goes on with the same data.

const ROOT = join(import.meta.dir, "../..");
/** A world takes 20 s of two processors; on a busy machine it has only a part of them. */
/** A day of history; four days, as a newcomer has them, take another 25 s of processor. */
const HISTORY_BLOCKS = process.env["PROVE"] === "1" ? "420" : "120";
/** Anvil's first account, whose key the sandbox's nodes have. */
const ACCOUNT = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const clientDir = mkdtempSync(join(tmpdir(), "tapeline-own-client-"));
const dataDir = mkdtempSync(join(tmpdir(), "tapeline-up-"));
// The embedded server runs as another user, who must be able to enter the folder.
chmodSync(dataDir, 0o755);
const children: Subprocess[] = [];

afterAll(() => {
	for (const child of children) child.kill("SIGKILL");
	for (const folder of [dataDir, clientDir]) rmSync(folder, { recursive: true, force: true });
});

type Up = {
	url: string;
	text: () => string;
	interrupt(): Promise<number>;
	/** Ends only what was started here, as whoever knows no other number does. */
	endRunner(): Promise<unknown>;
};

async function up(command = ["api/cli/up.ts"]): Promise<Up> {
	const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/tmp" };
	const child = Bun.spawn([process.execPath, ...command], {
		cwd: ROOT,
		env: { ...env, DATA_DIR: dataDir, PORT: "0", SANDBOX_HISTORY_BLOCKS: HISTORY_BLOCKS },
		stdout: "ignore",
		stderr: "pipe",
	});
	children.push(child);
	let text = "";
	const url = await new Promise<string>((resolve, reject) => {
		const timer = setTimeout(() => reject(new Error(`not up:\n${text}`)), WAIT_LIMIT_MS);
		child.exited.then((code) => reject(new Error(`ended with ${code}:\n${text}`)));
		(async () => {
			const decoder = new TextDecoder();
			for await (const chunk of child.stderr) {
				text += decoder.decode(chunk, { stream: true });
				const found = /market\s+(http:\/\/[^/]+)\//.exec(text);
				// The banner's last line: all of it is there.
				if (found?.[1] && text.includes("Ctrl-C stops")) {
					clearTimeout(timer);
					resolve(found[1]);
				}
			}
		})();
	});
	return {
		url,
		text: () => text,
		async interrupt() {
			child.kill("SIGINT");
			const timer = setTimeout(() => child.kill("SIGKILL"), WAIT_LIMIT_MS);
			const code = await child.exited;
			clearTimeout(timer);
			return code;
		},
		endRunner() {
			child.kill("SIGTERM");
			return child.exited;
		},
	};
}

const get = async (url: string, path: string) => {
	const response = await fetch(`${url}${path}`);
	expect(response.status).toBe(200);
	return { headers: response.headers, body: (await response.json()) as any };
};

async function indexedUpTo(url: string, block: number): Promise<void> {
	const giveUpAt = performance.now() + WAIT_LIMIT_MS;
	while (performance.now() < giveUpAt) {
		const { body } = await get(url, "/v1/nft-market/trending?chain=anvil");
		if ((body.freshness.indexedBlock ?? -1) >= block && body.freshness.lagBlocks <= 1) return;
		await Bun.sleep(100);
	}
	throw new Error(`block ${block} is not in the index`);
}

/** Returns processes that were started with this test's data folder, whatever their parent is. */
function leftBehind(): string[] {
	const listed = Bun.spawnSync(["ps", "-eo", "pid=,args="]).stdout.toString();
	return listed.split("\n").filter((line) => line.includes(dataDir));
}

async function gone(): Promise<void> {
	const giveUpAt = performance.now() + WAIT_LIMIT_MS;
	while (performance.now() < giveUpAt && leftBehind().length > 0) await Bun.sleep(50);
	expect(leftBehind()).toEqual([]);
}

/** Trades as the banner describes, as a reader does who copies it. */
async function trades(url: string, banner: string): Promise<void> {
	const rpcUrl = /^ {3}RPC {6}(http:\S+) /m.exec(banner)?.[1] ?? "";
	const body = JSON.stringify({ id: 1, jsonrpc: "2.0", method: "eth_chainId", params: [] });
	const asked = { method: "POST", headers: { "content-type": "application/json" }, body };
	expect(await (await fetch(rpcUrl, asked)).json()).toMatchObject({ result: "0x7a69" });
	const homeUrl = /^ {3}home {5}(http:\S+) /m.exec(banner)?.[1] ?? "";
	expect(await (await fetch(homeUrl, asked)).json()).toMatchObject({ result: "0x1237" });
	const { body: settings } = await get(url, "/v1/trading/settings");
	expect(settings).toMatchObject({ homeChain: { id: 4663 }, signInChainIds: [4663] });
	const [, command = "", at = "", who = ""] =
		/^ {3}token {4}(curl -s (http:\S+) -d '(\S+)')$/m.exec(banner) ?? [];
	expect(command).not.toBe("");
	expect(banner).toContain(`wallets  ${new URL(at).origin} `);
	const { token } = (await (await fetch(at, { method: "POST", body: who })).json()) as any;
	const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
	const post = async (path: string, more: object) => {
		const answer = await fetch(`${url}/v1/${path}`, { method: "POST", headers, ...more });
		return { status: answer.status, body: (await answer.json()) as any };
	};
	const ada = await post("trading/enrollment", {});
	expect(ada).toMatchObject({ status: 200, body: { profile: { social: { username: "ada" } } } });
	const sending = {
		fromWalletId: ada.body.profile.canonicalWalletId,
		amount: "0.01",
		recipients: ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8"],
	};
	expect(ada.body.profile.wallets[0]).toMatchObject({ chainId: 4663 });
	const transactionHash = expect.stringMatching(/^0x/);
	for (const [chain, named] of [
		["robinhood", {}],
		["anvil", { chain: "anvil" }],
	] as const) {
		const body = JSON.stringify({ ...sending, ...named });
		const sent = await post("trading/wallet-transfers", { body });
		expect(sent).toMatchObject({
			status: 202,
			body: { transfers: [{ chain, errorCode: null, transactionHash }] },
		});
	}
	const text = `send 0.02 eth to ${sending.recipients[0]?.toLowerCase()} on robinhood`;
	const told = await post("agent/command", { body: JSON.stringify({ text }) });
	expect(told).toMatchObject({
		status: 200,
		body: { kind: "done", data: { chain: "robinhood", errorCode: null, transactionHash } },
	});
	// The sandbox's wallet provider knows the service's address, and the service accepts its
	// webhooks.
	await until(async () => {
		const told = await fetch(`${new URL(at).origin}/_sandbox/webhooks`);
		const { attempts } = (await told.json()) as { attempts: { status: number }[] };
		return attempts.length > 0 && attempts.every(({ status }) => status === 200);
	}, "no webhook came");
}

/** Does the five jobs of a program with the packed client, installed into an empty folder. */
async function usesOwnClient(url: string, banner: string): Promise<void> {
	const program = await installOwnClient(url, clientDir);
	const rpcUrl = /^ {3}home {5}(http:\S+) /m.exec(banner)?.[1] ?? "";
	const tokens = /^ {3}token {4}curl -s (http:\S+) -d '(\S+)'$/m.exec(banner) ?? [];
	const [, at = "", who = ""] = tokens;
	const { token } = (await (await fetch(at, { method: "POST", body: who })).json()) as any;
	const { use } = await import(program);
	const done = await use({ url, rpcUrl, address: ACCOUNT, accessToken: token });
	const [first = 0] = done.stream.seqs;
	expect(done).toMatchObject({
		stream: { seqs: [0, 1, 2, 3].map((more) => first + more), resumed: [false, true], topics: 1 },
		signedIn: [ACCOUNT],
		profile: 1,
		ada: "ada",
		buy: { tokenId: done.buy.asked, code: null, quantity: "1" },
		moved: expect.stringMatching(/buy/),
		refused: { code: "not_found" },
	});
	expect(done.trending).toBeGreaterThanOrEqual(8);
	expect([done.bridge.status, done.bridge.code]).not.toContain("rejected");
	expect(done.bridge.status).toBeString();
}

/** An operator's route takes the key of the banner, and tells whoever has none where it is. */
async function operates(url: string, banner: string): Promise<void> {
	const [, at = "", key = ""] =
		/^ {3}admin {4}curl -s (\S+) -H "x-api-key: (\S+)"$/m.exec(banner) ?? [];
	expect(at).toStartWith(url);
	expect((await fetch(at, { headers: { "x-api-key": key } })).status).toBe(200);
	const refused = await fetch(at);
	expect(refused.status).toBe(401);
	expect(((await refused.json()) as any).message).toContain("`bun run up`");
}

/** Returns the ids of all events of a collection: on a slow machine one page is soon full. */
async function activityIds(url: string, slug: string): Promise<string[]> {
	const ids: string[] = [];
	for (let cursor: string | null = ""; cursor !== null; ) {
		const path = `/v1/nft-market/collections/${slug}/activity?chain=anvil&limit=200&cursor=${cursor}`;
		const { body }: { body: any } = await get(url, path);
		ids.push(...body.data.map((event: any) => event.id));
		cursor = body.page.nextCursor;
	}
	return ids;
}

test(
	"up serves a live market, Ctrl-C stops all of it, and the next up continues",
	async () => {
		const first = await up();
		expect(first.text()).toContain("SANDBOX");
		await indexedUpTo(first.url, 100);
		const list = await get(first.url, "/v1/nft-market/collections?chain=anvil&mode=trending");
		expect(list.headers.get("x-svc-sandbox")).toBe("true");
		const sold = list.body.normalized.filter((row: any) => row.sales24h > 0);
		expect(sold.length).toBeGreaterThanOrEqual(8);
		// Before the price of ether is read, every request that would spend it is refused.
		const detail = `/v1/nft-market/collections/${sold[0].slug}?chain=anvil`;
		await until(async () => {
			return typeof (await get(first.url, detail)).body.lastSale?.priceUsd === "number";
		}, "ether has a price");
		await until(() => first.text().includes("/readyz answers 200"), "it says that it is ready");
		await trades(first.url, first.text());
		await operates(first.url, first.text());
		await usesOwnClient(first.url, first.text());
		expect((await get(first.url, "/healthz")).body.sandbox).toBe(true);
		for (const { slug } of sold.slice(0, 8)) {
			const path = `/v1/nft-market/collections/${slug}/candles?chain=anvil&interval=1h`;
			expect((await get(first.url, path)).body.candles.length).toBeGreaterThan(12);
		}

		const ws = first.url.replace(/^http/, "ws");
		const stream = await openStream(`${ws}/v1/nft-market/discover/stream?chain=anvil`);
		const [told] = await stream.take(1, ({ type, data }) => {
			return type === "discover_row" && data.section === "mints";
		});
		const { slug } = told.data.row.collection;
		expect(await activityIds(first.url, slug)).toContain(told.data.row.id);
		stream.close();

		const before = (await get(first.url, "/v1/nft-market/trending?chain=anvil")).body.freshness;
		expect(await first.interrupt()).toBe(0);
		await gone();

		const second = await up(["run", "up"]);
		await indexedUpTo(second.url, before.indexedBlock);
		expect(await activityIds(second.url, slug)).toContain(told.data.row.id);
		await second.endRunner();
		await gone();
	},
	3 * TEST_LIMIT_MS,
);
