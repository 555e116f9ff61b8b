import { expect, test } from "bun:test";
import type { AuditEntry } from "#core/audit/Audit.ts";
import { AUDIT_ENTRY_BYTES_MAX, renderEntry } from "#core/audit/renderEntry.ts";
import { AssertionFailed } from "#core/fault/assert.ts";

const good: AuditEntry = { actor: "service:wallets", action: "a.b_c", subject: "s", detail: {} };

test("bytes count, not letters, and none above the limit passes", () => {
	const rest = Buffer.byteLength(renderEntry({ ...good, detail: { t: "" } }, 0));
	const fits = "ü".repeat(Math.floor((AUDIT_ENTRY_BYTES_MAX - rest) / 2));
	expect(Buffer.byteLength(renderEntry({ ...good, detail: { t: fits } }, 0))).toBeLessThanOrEqual(
		AUDIT_ENTRY_BYTES_MAX,
	);
	expect(() => renderEntry({ ...good, detail: { t: `${fits}ü` } }, 0)).toThrow(/of 8192/);
});

const flawed: Partial<AuditEntry>[] = [
	{ actor: "ann" },
	{ actor: "operator:" },
	{ actor: "operator:a\nb" },
	{ actor: "root:ann" },
	{ action: "changed" },
	{ action: "Trading.changed" },
	{ action: "" },
	{ subject: "" },
];
for (const flaw of flawed) {
	test(`an entry with ${JSON.stringify(flaw)} is our own mistake`, () => {
		expect(() => renderEntry({ ...good, ...flaw }, 0)).toThrow(AssertionFailed);
	});
}
