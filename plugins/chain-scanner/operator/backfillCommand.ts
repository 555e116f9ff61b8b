import type { CliCommand, CliContext } from "#core/plugin/CliCommand.ts";
import { LINE_EVERY_MS, REDRAW_EVERY_MS } from "#plugins/chain-scanner/limits.ts";
import type { BackfillProgress } from "#plugins/chain-scanner/operator/BackfillProgress.ts";
import { findChain } from "#plugins/chain-scanner/operator/findChain.ts";
import { openRequests } from "#plugins/chain-scanner/operator/openRequests.ts";
import { BACKFILL_USAGE, parseBackfill } from "#plugins/chain-scanner/operator/parseBackfill.ts";
import { progressLine } from "#plugins/chain-scanner/operator/progressLine.ts";
import { runBackfill } from "#plugins/chain-scanner/operator/runBackfill.ts";
import { ScannerOperatorKey } from "#plugins/chain-scanner/operator/ScannerOperatorKey.ts";
import { untilHead } from "#plugins/chain-scanner/operator/untilHead.ts";

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
