// Runs `svc backfill`, `svc gaps` and `svc rewind`, and parses their flags.

import { parseArgs } from "node:util";
import type { CliCommand, CliContext } from "#core/plugin/Plugin.ts";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { LINE_EVERY_MS, REDRAW_EVERY_MS } from "#plugins/chain-scanner/limits.ts";
import {
	type BackfillProgress,
	findChain,
	openRequests,
	ScannerOperatorKey,
} from "#plugins/chain-scanner/operator/createOperator.ts";
import {
	type BackfillSpan,
	progressLine,
	runBackfill,
	untilHead,
} from "#plugins/chain-scanner/operator/runBackfill.ts";
import { listGaps, retryGaps } from "#plugins/chain-scanner/sql/gap.ts";

export type BackfillAsk = BackfillSpan & { chain: string | undefined };

export const BACKFILL_USAGE =
	"backfill --chain <slug> --from <block> --to <block> [--lane mint|sale]";

const EXIT_FAILURE = 1;
/** 128 + SIGINT, as shells count. */
const EXIT_INTERRUPTED = 130;

/** Brings a span of a chain's past into the index, beside a running service or without one. */
export const backfillCommand: CliCommand = {
	name: "backfill",
	usage: BACKFILL_USAGE,
	summary: "read a span of blocks, newest first; started again it goes on",
	async run(args, context) {
		const ask = parseBackfill(args);
		const signal = context.interrupted();
		const { core, needs, close } = await context.openCore({ scanner: ScannerOperatorKey });
		try {
			const { note } = context;
			const access = findChain(core, ask.chain);
			const chainId = access.chain.id;
			const head = (await untilHead(access, { signal, note }))?.number ?? null;
			if (head === null) {
				note("stopped before anything was asked for");
				return EXIT_INTERRUPTED;
			}
			const { reorgDepthMax } = needs.scanner;
			const resumed = await openRequests(core, { ...ask, chainId, head, reorgDepthMax });
			if (resumed.length > 0) note(`goes on with what is left (${resumed.join(", ")})`);
			const everyMs = context.terminal ? REDRAW_EVERY_MS : LINE_EVERY_MS;
			const show = shown(context);
			const { scanner } = needs;
			const end = await runBackfill({ core, scanner, access, ask, head, signal, everyMs, show });
			context.terminal?.end();
			return farewell(end, { again: `bun run svc backfill ${args.join(" ")}`, note });
		} finally {
			await close();
		}
	},
};

const USAGE = "rewind --chain <slug> --to <block> --yes";

/**
 * Recovers from a reorg that is deeper than lanes take back by themselves: the operator states how
 * deep it is.
 */
export const rewindCommand: CliCommand = {
	name: "rewind",
	usage: USAGE,
	summary: "take everything above a block out of the index; lanes read it again",
	async run(args, context) {
		const flags = parseFlags(args, { usage: USAGE, values: ["chain", "to"], words: ["yes"] });
		const block = parseBlock("to", flags.get("to"));
		const chain = flags.get("chain");
		// Checked before anything is opened, as opening starts a database.
		if (flags.get("yes") !== "true") {
			throw scannerFault.command({
				public: `This takes everything above block ${block} of ${chain ?? "a chain"} out of the index; add --yes.`,
			});
		}
		const { core, needs, close } = await context.openCore({ scanner: ScannerOperatorKey });
		try {
			const access = findChain(core, chain);
			const { slug } = access.chain;
			await needs.scanner.rewind(access, block, context.interrupted());
			context.note(`${slug} stands at block ${block}; its lanes go on from there`);
			return 0;
		} finally {
			await close();
		}
	},
};

const GAPS_USAGE = "gaps [--chain <slug>] [--retry]";
const GAPS_LISTED_MAX = 1_000;

/** Lists what lanes left out and why, and has what was set aside read again. */
export const gapsCommand: CliCommand = {
	name: "gaps",
	usage: GAPS_USAGE,
	summary: "list the blocks that lanes owe, and why; --retry reads those that were set aside again",
	async run(args, context) {
		const flags = parseFlags(args, { usage: GAPS_USAGE, values: ["chain"], words: ["retry"] });
		const { core, close } = await context.openCore({ scanner: ScannerOperatorKey });
		try {
			const chain = flags.get("chain");
			const chosen = chain === undefined ? core.indexed : [findChain(core, chain)];
			const chains = new Map(chosen.map((one) => [one.chain.id, one.chain.slug]));
			const chainIds = [...chains.keys()];
			const gaps = await listGaps(core.db, { chainIds, limit: GAPS_LISTED_MAX });
			for (const { chainId, createdAt, triedAt, ...gap } of gaps) {
				const sinceAt = createdAt.toISOString();
				const times = { sinceAt, triedAt: triedAt?.toISOString() ?? null };
				context.out(JSON.stringify({ chain: chains.get(chainId), ...gap, ...times }));
			}
			if (gaps.length === GAPS_LISTED_MAX) context.note("there are more; name a chain");
			if (flags.get("retry") !== "true") return 0;
			const again = await core.db.transaction((tx) => retryGaps(tx, chainIds));
			context.note(
				`${again} spans that were set aside are next for the backfill of a running service; ` +
					"without one, svc backfill reads them",
			);
			return 0;
		} finally {
			await close();
		}
	},
};

/** Parses the arguments of `svc backfill`. */
export function parseBackfill(args: readonly string[]): BackfillAsk {
	const flags = parseFlags(args, {
		usage: BACKFILL_USAGE,
		values: ["chain", "from", "to", "lane"],
	});
	const from = parseBlock("from", flags.get("from"));
	const to = parseBlock("to", flags.get("to"));
	if (from > to) {
		throw scannerFault.command({ public: `--from ${from} lies above --to ${to}.` });
	}
	return { chain: flags.get("chain"), range: { from, to }, lanes: lanesOf(flags.get("lane")) };
}

/** Parses a block's number as an operator types it: digits, optionally grouped by `_` or `,`. */
export function parseBlock(flag: string, text: string | undefined): number {
	const digits = text?.replace(/(?<=\d)[_,](?=\d)/g, "") ?? "";
	if (!/^\d{1,15}$/.test(digits)) {
		const given = text === undefined ? "is missing" : `is "${text}"`;
		throw scannerFault.command({ public: `--${flag} ${given}: it takes a block's number.` });
	}
	return Number(digits);
}

/**
 * Parses `--name value` pairs and words such as `--yes`. Anything else is refused with the
 * command's usage: an argument that is silently ignored would do something unintended.
 */
export function parseFlags(
	args: readonly string[],
	known: { usage: string; values: readonly string[]; words?: readonly string[] },
): ReadonlyMap<string, string> {
	const { usage, values, words = [] } = known;
	const options = Object.fromEntries([
		...values.map((name) => [name, { type: "string" as const }]),
		...words.map((name) => [name, { type: "boolean" as const }]),
	]);
	try {
		const parsed = parseArgs({
			args: joined(args, values),
			options,
			strict: true,
			allowPositionals: false,
		});
		return new Map(Object.entries(parsed.values).map(([name, value]) => [name, String(value)]));
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		throw scannerFault.command({ public: `${why}\nbun run svc ${usage}`, cause: error });
	}
}

function lanesOf(name: string | undefined): readonly LaneKind[] {
	if (name === undefined) return ["mint", "sale"];
	if (name === "mint" || name === "sale") return [name];
	throw scannerFault.command({ public: `--lane is "${name}": it takes mint or sale.` });
}

/**
 * Rewrites `--to -1` as `--to=-1`: a negative number is a value, which its parser refuses in our
 * own words, and no flag.
 */
function joined(args: readonly string[], values: readonly string[]): string[] {
	const flags = new Set(values.map((name) => `--${name}`));
	const read: string[] = [];
	for (const arg of args) {
		const flag = read.at(-1) ?? "";
		if (/^-\d/.test(arg) && flags.has(flag)) read.splice(-1, 1, `${flag}=${arg}`);
		else read.push(arg);
	}
	return read;
}

/** Returns how progress is shown: a bar on a terminal, one JSON object a line otherwise. */
function shown({ terminal, out }: CliContext): (progress: BackfillProgress) => void {
	if (!terminal) return (progress) => out(JSON.stringify(progress));
	return (progress) => terminal.redraw(progressLine(progress));
}

function farewell(
	end: BackfillProgress,
	{ again, note }: { again: string; note(line: string): void },
): number {
	const { state, blocksLeft, blocksRefused, events } = end;
	if (state === "interrupted") {
		note(`stopped with ${blocksLeft} blocks left. Go on with:\n  ${again}`);
		return EXIT_INTERRUPTED;
	}
	if (state === "refused") {
		note(
			`${blocksRefused} blocks were refused again and again. They stay owed: a running service ` +
				`tries them once a minute, and so does:\n  ${again}`,
		);
		return EXIT_FAILURE;
	}
	note(`done; ${events} events were in what this process read`);
	return 0;
}
