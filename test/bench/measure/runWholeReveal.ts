import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scope } from "#test/bench/createScope.ts";
import { dueNow } from "#test/e2e/reveals/openRevealLab.ts";
import { sandboxEnvironment, signInAda } from "#test/e2e/reveals/sandboxEnvironment.ts";
import { startTestService } from "#test/harness/startTestService.ts";
import { createRpc } from "#test/sandbox/createRpc.ts";
import { startSandbox } from "#test/sandbox/startSandbox.ts";

/** Milliseconds since the reveal's block was requested. */
export type WholeReveal = {
	tokens: number;
	detectedMs: number;
	/** All tokens are read, counted and ranked. */
	rankedMs: number;
	submittedMs: number;
};

const TOKENS = 10_000;
const BLOCKS_FOR_SELLERS = 60;
const WAIT_MS_MAX = 300_000;

/**
 * Measures one realistic reveal of ten thousand tokens: a node, the marketplace and the wallet
 * provider of the sandbox, documents over HTTP, a service, and a plan that was armed before.
 */
export async function runWholeReveal({ scope }: { scope: Scope }): Promise<WholeReveal> {
	const dataDir = mkdtempSync(join(tmpdir(), "tapeline-whole-"));
	const sandbox = await startSandbox({ dataDir, seed: 7, paceMs: 0, historyBlocks: 40 });
	const stopSandbox = scope.defer(sandbox.stop);
	const post = async (path: string, body: unknown): Promise<{ contract: string }> => {
		const init = { method: "POST", body: JSON.stringify(body) };
		return (await (await fetch(`${sandbox.studioUrl}${path}`, init)).json()) as never;
	};
	const { contract } = await post("/_sandbox/reveals", { kind: "announced", tokens: TOKENS });
	const rpc = createRpc(sandbox.httpUrl);
	await rpc.call("anvil_mine", [`0x${BLOCKS_FOR_SELLERS.toString(16)}`]);
	const service = await startTestService({
		env: { ...sandboxEnvironment(sandbox), METADATA_ALLOWED_ORIGINS: sandbox.studioUrl },
	});
	const stopService = scope.defer(service.stop);
	const { db } = service.core;
	const ada = await signInAda(sandbox, () => service.url);
	await dueWithin(service, async () => {
		const [row] = await db.query<{ read: number }>(
			`select count(*)::int4 as read from market_index.token as t
			join market_index.collection as c on c.id = t.collection_id
			where '0x' || encode(c.address, 'hex') = $1 and t.source is not null`,
			[contract],
		);
		return row?.read === TOKENS;
	});
	const armed = await ada.ask("/v1/nft-market/snipes", {
		...{ collectionSlug: contract, chain: "anvil", trigger: "on_reveal", maxRank: TOKENS },
		...{ maxPricePerItemNative: 1, budgetNative: 1, maxItems: 1 },
	});
	if (armed.status !== 201) throw new Error(`not armed: ${JSON.stringify(armed.body)}`);
	await dueWithin(service, async () => {
		const seen = await db.query("select from reveal_snipe.seen where reading = 'hidden'");
		const listed = await db.query(
			"select from market_index.market_order where is_active and kind = 0 limit 1",
		);
		return seen.length > 0 && listed.length > 0;
	});
	const beganMs = Date.now();
	await post("/_sandbox/reveals/now", { contracts: [contract] });
	const sent = () =>
		db.query<{ detected: Date; ranked: Date; sent: Date }>(
			`select d.detected_at as detected, k.taken_at as ranked, s.sent_at as sent
			from wallets.submission as s, reveal_snipe.detection as d
			join reveal_snipe.kept_book as k on k.detection_id = d.id where s.sent_at is not null`,
		);
	await dueWithin(service, async () => (await sent()).length > 0);
	const [row] = await sent();
	if (!row) throw new Error("nothing was bought");
	await stopService();
	await service.database.drop();
	await stopSandbox();
	rmSync(dataDir, { recursive: true, force: true });
	const since = (at: Date) => at.getTime() - beganMs;
	return {
		...{ tokens: TOKENS, detectedMs: since(row.detected) },
		...{ rankedMs: since(row.ranked), submittedMs: since(row.sent) },
	};
}

/** Waits as long as a first reading of so many tokens takes: `until` waits less. */
async function dueWithin(
	service: Parameters<typeof dueNow>[0],
	holds: () => Promise<boolean>,
): Promise<void> {
	const endsAtMs = Date.now() + WAIT_MS_MAX;
	for (;;) {
		try {
			return await dueNow(service, holds);
		} catch (error) {
			if (Date.now() > endsAtMs) throw error;
		}
	}
}
