import type { BookFlaw, BookReport } from "#core/audit/book.ts";
import { auditFault, readHead } from "#core/audit/createAudit.ts";
import { createBookVerifier } from "#core/audit/verifyBook.ts";
import {
	AUDIT_USAGE,
	type ChainVerdict,
	parseAuditArgs,
	verifyChain,
} from "#core/audit/verifyChain.ts";
import type { Database } from "#core/db/Database.ts";
import { AuditBookPoint, type CliContext } from "#core/plugin/Plugin.ts";

/** The storage alone: an auditor need not know which chains a service follows. */
export type AuditContext = Pick<CliContext, "out" | "note" | "contributions"> & {
	openStorage(): Promise<{ db: Database; where: string; close(): Promise<void> }>;
};

const EXIT_BROKEN = 1;

/**
 * Exports the audit log's head, and verifies the log and the books whose roots it contains, against
 * an exported head if one is given.
 */
export const auditCommand = {
	name: "audit",
	usage: AUDIT_USAGE,
	summary: "export the audit log's head, or prove that nobody changed it",
	async run(args: readonly string[], context: AuditContext): Promise<number> {
		const ask = parseAuditArgs(args);
		const { db, where, close } = await context.openStorage();
		// To stderr: an auditor who looks into an empty database has to see which one it is.
		context.note(`in ${where}`);
		try {
			if (ask.kind === "head") {
				context.out(JSON.stringify(await readHead(db)));
				return 0;
			}
			const books = createBookVerifier(db, context.contributions(AuditBookPoint));
			const { exported } = ask;
			const verdict = await verifyChain(db, { exported, visit: (entry) => books.visit(entry) });
			// Nothing to verify is no proof. (Held against an exported head it is broken: truncated.)
			if (verdict.kind === "whole" && verdict.head.seq === 0) throw emptyFault(where);
			// Behind a break in the chain no root counts.
			const report = verdict.kind === "whole" ? await books.end() : null;
			return tell(context, { verdict, report, isAnchored: exported !== null });
		} finally {
			await close();
		}
	},
};

type Told = { verdict: ChainVerdict; report: BookReport | null; isAnchored: boolean };

function tell({ out, note }: AuditContext, { verdict, report, isAnchored }: Told): number {
	const isChanged = report !== null && report.flawsTotal > 0;
	out(JSON.stringify(report ? { ...verdict, ...(isChanged && CHANGED), books: report } : verdict));
	if (isChanged) {
		const [first] = report.flaws;
		const what = first ? flawSentence(first) : "";
		note(`CHANGED: ${report.flawsTotal} rows or batches are not what was sealed. ${what}`);
	} else {
		note(sentence(verdict, isAnchored));
	}
	if (report && report.batches > 0) note(bookSentence(report));
	return verdict.kind === "whole" && !isChanged ? 0 : EXIT_BROKEN;
}

const CHANGED = { kind: "changed" };

function flawSentence({ book, batch, source, row, flaw }: BookFlaw): string {
	const where = [book, source, row].filter((name) => name !== null && name !== "").join(" ");
	return `The first: ${where}, batch ${batch}: ${flaw}.`;
}

function bookSentence({ batches, rows, unsealed }: BookReport): string {
	return `books: ${rows} rows in ${batches} batches; ${unsealed} rows are too new to be sealed`;
}

function emptyFault(where: string) {
	return auditFault.noEntries({
		public: `The audit log in ${where} has no entries, so there is nothing to verify. It is probably the wrong database.`,
	});
}

function sentence(verdict: ChainVerdict, isAnchored: boolean): string {
	if (verdict.kind === "broken") {
		const { seq, flaw, good } = verdict;
		return `BROKEN at entry ${seq}: ${flaw}. Up to entry ${good.seq} it is what was written.`;
	}
	const whole = `whole: ${verdict.head.seq} entries`;
	return isAnchored
		? `${whole}, and the exported head is among them`
		: `${whole}; without --head a cut end would not show`;
}
