// Plays a scenario with one death at each point, and judges the result.

import { encodeFunctionData, type Hex, hexToBytes, parseAbi } from "viem";
import { type IntentEvent, type IntentStatus, nextStatus } from "#plugins/wallets/intent/Intent.ts";
import {
	driveRun,
	forgetfulNode,
	type IntentFound,
	impatientOwner,
	intentsOf,
} from "#test/e2e/kills/driveRun.ts";
import type { KillRun, KillScenario, Wanted } from "#test/e2e/kills/KillScenario.ts";
import type { KillLane } from "#test/e2e/kills/openKillLane.ts";
import type { KillPoint } from "#test/e2e/kills/startKillable.ts";

export type Killed = {
	/** How often the service died. */
	deaths: number;
	problems: string[];
	/** Edges that the last life reached. */
	reached: Record<string, number>;
};

const ownerAbi = parseAbi(["function ownerOf(uint256) view returns (address)"]);
const balanceAbi = parseAbi(["function balanceOf(address) view returns (uint256)"]);

/**
 * Plays a scenario to its end, through one death at each of the points in turn, and judges the
 * result. At a point that the scenario does not reach no process dies.
 */
export async function killOnce(
	lane: KillLane,
	given: { scenario: KillScenario; points: readonly KillPoint[]; holdsMining: boolean },
): Promise<Killed> {
	const { scenario, points, holdsMining } = given;
	const { custody, db, wallet } = lane;
	const run = await scenario.prepare(lane);
	await db.execute("update wallets.profile set require_trade_confirmation = $1 where id = $2", [
		scenario.asksOwner,
		wallet.profileId,
	]);
	for (const fault of scenario.faults) custody.fault(fault);
	const { isDropped, isCancelled } = scenario;
	const isAlone = isDropped || isCancelled;
	const release = await holdFor(lane, { isAlone, isHeld: holdsMining });
	await setRebroadcast(lane, isDropped);
	const forgets = isDropped ? forgetfulNode(lane) : null;
	const cancels = isCancelled ? impatientOwner(lane, run) : null;
	const driven = { ...run, key: crypto.randomUUID(), release, forgets, cancels };
	try {
		let deaths = 0;
		for (;;) {
			await lane.arm(points[deaths] ?? null);
			const done = await driveRun(lane, driven).catch(async (error: unknown) => {
				if (!(await lane.hasDied())) throw error;
				return null;
			});
			if (!done) {
				deaths++;
				await lane.revive();
				continue;
			}
			await lane.arm(null);
			custody.clearFaults();
			const problems = await judgeRun(lane, run);
			const { answer, reached } = done;
			if (answer.status !== run.status) problems.push(`answered ${answer.status}: ${answer.text}`);
			const { path, body } = run;
			const again = await lane.ask(path, { body, key: driven.key });
			const isSame = again.status === answer.status && again.text === answer.text;
			if (!isSame) problems.push("the same request with the same key has another answer");
			// Earlier payments count as final, so that they are not looked up while the next run dies:
			// each run reaches its own steps only.
			await db.execute("update wallets.submission set final_at = now() where final_at is null");
			return { deaths, problems, reached };
		}
	} finally {
		release();
		custody.clearFaults();
	}
}

/** Returns a sentence for each thing that is wrong after a run; none if all is right. */
async function judgeRun(lane: KillLane, run: KillRun): Promise<string[]> {
	const intents = await intentsOf(lane.db, run);
	const problems: string[] = [];
	if (intents.length !== run.wanted.length) {
		problems.push(`${intents.length} intents instead of ${run.wanted.length}`);
	}
	for (const wanted of run.wanted) {
		const name = wanted.kind === "buy" ? String(wanted.tokenId) : wanted.recipient;
		const intent = intents.find((one) => one.wanted === name);
		const found = intent ? await judgeIntent(lane, { intent, wanted, run }) : ["an intent is lost"];
		problems.push(...found.map((problem) => `${name}: ${problem}`));
	}
	problems.push(...(await judgeWallet(lane)));
	return problems;
}

async function holdFor(
	{ world }: KillLane,
	{ isAlone, isHeld }: { isAlone: boolean; isHeld: boolean },
): Promise<() => void> {
	if (isAlone) return await world.holdMiningAlone();
	return isHeld ? world.holdMining() : () => {};
}

/** Sets the operators' control by which dropped transactions are broadcast again. */
async function setRebroadcast({ db }: KillLane, isOn: boolean): Promise<void> {
	await db.execute(
		`insert into wallets.control values ('rebroadcast', $1::jsonb, 'operator:test', now())
		on conflict (key) do update set value = excluded.value`,
		[String(isOn)],
	);
}

async function judgeIntent(
	lane: KillLane,
	{ intent, wanted, run }: { intent: IntentFound; wanted: Wanted; run: KillRun },
): Promise<string[]> {
	const { id, status, states } = intent;
	const problems: string[] = [];
	const must = (holds: boolean, problem: string) => {
		if (!holds) problems.push(problem);
	};
	const isPaid = status === "confirmed";
	must(isPaid || status === "failed" || status === "rejected", `ends ${status}`);
	must(!run.isDenied || status === "rejected", `cannot be paid, and ends ${status}`);
	must(status !== "rejected" || states.length === 0, "rejected and sent");
	must(states.length <= 1, `${states.length} submissions`);
	must(states.join() !== "mined" || isPaid, `mined, and ends ${status}`);

	const moved = await movedOnChain(lane, wanted);
	must(moved === (isPaid ? wanted.raw : 0n), `${status}, and ${moved} were moved`);
	const { open, spent } = await ledgerOf(lane, id);
	must(open === 0n, `${open} are reserved for ever`);
	must(spent === (isPaid ? wanted.raw : 0n), `${status}, and ${spent} count as spent`);
	problems.push(...(await judgeMoves(lane, intent)));

	const references = await lane.db.query<{ id: string; hash: string | null }>(
		`select id, '0x' || encode(transaction_hash, 'hex') as hash
		from wallets.submission where intent_id = $1 and purpose = 'pay'`,
		[id],
	);
	const ours = new Set(references.map((one) => one.id));
	const sent = lane.custody.transactions().filter(({ referenceId }) => ours.has(referenceId ?? ""));
	must(sent.length <= 1, `the wallet provider made ${sent.length} transactions`);
	if (isPaid) must(sent[0]?.hash === references[0]?.hash, "another transaction's hash");
	return problems;
}

/** Returns the amount moved on chain, read from the chain alone. */
async function movedOnChain({ world, wallet }: KillLane, wanted: Wanted): Promise<bigint> {
	const { anvil, seaport } = world;
	if (wanted.kind === "pay") {
		return BigInt(await anvil.rpc<string>("eth_getBalance", [wanted.recipient, "latest"]));
	}
	if (wanted.kind === "pay_token") {
		const data = encodeFunctionData({ abi: balanceAbi, args: [wanted.recipient] });
		return BigInt(await anvil.rpc<Hex>("eth_call", [{ to: seaport.tokens.coin, data }, "latest"]));
	}
	const data = encodeFunctionData({ abi: ownerAbi, args: [wanted.tokenId] });
	const owner = await anvil.rpc<Hex>("eth_call", [{ to: seaport.tokens.nft, data }, "latest"]);
	return owner.endsWith(wallet.address.slice(2)) ? wanted.raw : 0n;
}

async function ledgerOf({ db }: KillLane, id: string): Promise<{ open: bigint; spent: bigint }> {
	const [row] = await db.query<{ open: string; spent: string }>(
		`select
			coalesce(sum(case when kind in ('reserve', 'unspend', 'unrelease') then amount_raw
				else -amount_raw end), 0)::text as open,
			coalesce(sum(case kind when 'spend' then amount_raw when 'unspend' then -amount_raw
				else 0 end), 0)::text as spent
		from wallets.spend_entry where intent_id = $1`,
		[id],
	);
	return { open: BigInt(row?.open ?? 0), spent: BigInt(row?.spent ?? 0) };
}

/**
 * Checks that each stored transition is one of the state machine, from the state that the one
 * before led to.
 */
async function judgeMoves({ db }: KillLane, intent: IntentFound): Promise<string[]> {
	type Move = { event: IntentEvent; from: IntentStatus; to: IntentStatus };
	const moves = await db.query<Move>(
		`select event, from_status as "from", to_status as "to"
		from wallets.intent_move where intent_id = $1 order by seq`,
		[intent.id],
	);
	let stands = "created";
	const problems: string[] = [];
	for (const { event, from, to } of moves) {
		const isKnown = from === stands && nextStatus(from, event) === to;
		if (!isKnown) problems.push(`moved from ${stands} to ${to} by ${event}`);
		stands = to;
	}
	if (stands !== intent.status) problems.push(`its moves end at ${stands}, not ${intent.status}`);
	return problems;
}

/** Checks that each transaction of the wallet belongs to exactly one intent. */
async function judgeWallet({ world, db, wallet, nonceBefore }: KillLane): Promise<string[]> {
	const count = await world.anvil.rpc<string>("eth_getTransactionCount", [
		wallet.address,
		"latest",
	]);
	const [row] = await db.query<{ mined: number; twins: number }>(
		`select (count(*) filter (where state in ('mined', 'reverted')))::int as mined,
			(count(transaction_hash) - count(distinct transaction_hash))::int as twins
		from wallets.submission where sender = $1`,
		[hexToBytes(wallet.address)],
	);
	const sent = Number(count) - nonceBefore;
	return [
		...(sent === row?.mined ? [] : [`the chain has ${sent} transactions, we know ${row?.mined}`]),
		...(row?.twins === 0 ? [] : ["two intents stand on one transaction"]),
	];
}
