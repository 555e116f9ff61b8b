import { expect, test } from "bun:test";
import { parseAuditArgs } from "#core/audit/parseAuditArgs.ts";
import { Fault } from "#core/fault/Fault.ts";

const HASH = "0123456789abcdef".repeat(4);

test("a head, or a proof, with or without a head that was kept", () => {
	expect(parseAuditArgs(["head"])).toEqual({ kind: "head" });
	expect(parseAuditArgs(["verify"])).toEqual({ kind: "verify", exported: null });
	for (const args of [["--head", `12:${HASH}`], [`--head=12:${HASH}`]]) {
		const ask = { kind: "verify", exported: { seq: 12, hash: HASH } } as const;
		expect(parseAuditArgs(["verify", ...args])).toEqual(ask);
		expect(parseAuditArgs([...args, "verify"])).toEqual(ask);
	}
});

for (const head of [
	"",
	"12",
	HASH,
	`12:${HASH.toUpperCase()}`,
	`012:${HASH}`,
	`-1:${HASH}`,
	`1e3:${HASH}`,
]) {
	test(`[SEC-06] the head "${head.slice(0, 8)}" is refused: the log must not look proven without it`, () => {
		expect(() => parseAuditArgs(["verify", "--head", head])).toThrow(Fault);
	});
}
