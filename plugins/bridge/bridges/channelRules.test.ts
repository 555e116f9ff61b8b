import { expect, test } from "bun:test";
import { mustAsk, switchDenial } from "#plugins/bridge/bridges/channelRules.ts";

// Guarantee: nothing is bridged by a post unless operators allow that, and no post pays or refunds
// somebody else without its author's yes.

const OWN = `0x${"1".repeat(40)}` as const;
const SECOND = `0x${"2".repeat(40)}` as const;
const OTHER = `0x${"3".repeat(40)}` as const;

test("posts bridge only where both switches are on; all else where the first is", () => {
	const code = (isOn: boolean, isSocialOn: boolean, channel: "social" | "agent") => {
		return switchDenial({ isOn, isSocialOn }, channel)?.code ?? null;
	};
	for (const isSocialOn of [false, true]) {
		expect(code(false, isSocialOn, "agent")).toBe("bridging_disabled");
		expect(code(false, isSocialOn, "social")).toBe("bridging_disabled");
		expect(code(true, isSocialOn, "agent")).toBeNull();
	}
	expect(code(true, false, "social")).toBe("bridging_disabled");
	expect(code(true, true, "social")).toBeNull();
});

test("a post that pays or refunds another address is asked about; own wallets are not", () => {
	const wallets = [{ address: OWN }, { address: SECOND }];
	const asks = (
		recipient: typeof OWN | typeof SECOND | typeof OTHER,
		refundTo: typeof OWN | typeof SECOND | typeof OTHER,
		channel: "social" | "agent" = "social",
	) => mustAsk({ asks: false, channel }, { recipient, refundTo }, wallets);
	expect(asks(OWN, OWN)).toBe(false);
	expect(asks(SECOND, OWN)).toBe(false);
	expect(asks(OTHER, OWN)).toBe(true);
	expect(asks(OWN, OTHER)).toBe(true);
	expect(asks(OTHER, OTHER, "agent")).toBe(false);
	const own = { recipient: OWN, refundTo: OWN };
	expect(mustAsk({ asks: true, channel: "agent" }, own, wallets)).toBe(true);
});
