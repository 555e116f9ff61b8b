import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import {
	AUDIT_FRESH_MS,
	createAuditWatch,
	NEWEST_ENTRIES,
	SEALING_BEHIND_AFTER_MS,
} from "#core/audit/createAuditWatch.ts";
import { type Notes, noteBook, openNotes } from "#core/audit/testing/openNotes.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";

// Guarantee: that the audit chain falls behind, or does not fit its rows, does not go unnoticed.

let notes: Notes;
beforeAll(async () => {
	notes = await openNotes();
});
afterAll(() => notes?.database.drop());
beforeEach(() => notes.begin());

function open() {
	const metrics = createMetrics();
	const { db, clock } = notes;
	const watch = createAuditWatch({ db, clock, log: silentLog, metrics, books: [noteBook] });
	const signal = new AbortController().signal;
	return {
		async codes(afterMs = AUDIT_FRESH_MS) {
			clock.ms += afterMs;
			return (await watch.degraded()).map(({ code }) => code);
		},
		async figures() {
			clock.ms += AUDIT_FRESH_MS;
			for (const job of watch.jobs) await job.run({ signal });
			return (await metrics.expose()).body;
		},
	};
}

test("a book whose rows wait for a minute without a batch is reported as behind", async () => {
	const { codes, figures } = open();
	await notes.write();
	expect(await codes()).toEqual([]);
	await notes.seal();
	await notes.write();
	expect(await codes(SEALING_BEHIND_AFTER_MS)).toEqual([]);
	expect(await codes(SEALING_BEHIND_AFTER_MS)).toEqual(["audit_sealing_behind"]);
	expect(await figures()).toContain('tapeline_audit_sealing_behind_seconds{book="notes"} 65');
	await notes.seal();
	expect(await codes()).toEqual([]);
	expect(await figures()).toContain('tapeline_audit_sealing_behind_seconds{book="notes"} 0');
});

test("a changed row in the newest batches is reported, and no longer once it is restored", async () => {
	const { codes, figures } = open();
	await notes.write();
	await notes.seal();
	expect(await figures()).toContain("tapeline_audit_newest_flaws 0");
	await notes.db.execute("update public.note set text = 'b'");
	expect(await figures()).toContain("tapeline_audit_newest_flaws 1");
	expect(await codes()).toEqual(["audit_broken"]);
	await notes.db.execute("update public.note set text = 'a'");
	expect(await figures()).toContain("tapeline_audit_newest_flaws 0");
	expect(await codes()).toEqual([]);
});

test("a changed entry is reported, in a long chain too", async () => {
	const { figures } = open();
	await notes.db.transaction(async (tx) => {
		for (let entry = 0; entry < NEWEST_ENTRIES + 50; entry++) {
			await notes.audit.append(tx, {
				...{ actor: "service:test", action: "note.made", subject: "note:1", detail: {} },
			});
		}
	});
	expect(await figures()).toContain("tapeline_audit_newest_flaws 0");
	await notes.forced(
		"update core.audit_entry set entry = '{}' where seq = (select max(seq) - 100 from core.audit_entry)",
	);
	expect(await figures()).toContain("tapeline_audit_newest_flaws 1");
});

test("an empty chain is reported as valid", async () => {
	const { codes, figures } = open();
	expect(await figures()).toContain("tapeline_audit_newest_flaws 0");
	expect(await codes()).toEqual([]);
});
