import { expect, test } from "bun:test";
import { createSeal } from "#plugins/social/x/userTokens.ts";

const seal = createSeal("a secret of thirty-two characters", "tokens");

test("an encrypted text is decrypted with the same secret and purpose only", () => {
	const sealed = seal.close('{"refresh":"once"}');
	expect(seal.open(sealed)).toBe('{"refresh":"once"}');
	expect(Buffer.from(sealed).toString()).not.toContain("once");
	expect(createSeal("a secret of thirty-two characterz", "tokens").open(sealed)).toBeNull();
	expect(createSeal("a secret of thirty-two characters", "replies").open(sealed)).toBeNull();
	expect(Buffer.from(seal.close("x"))).not.toEqual(Buffer.from(seal.close("x")));
});

test("an altered or invalid encrypted text is not decrypted", () => {
	const sealed = Buffer.from(seal.close("text"));
	for (let at = 0; at < sealed.length; at++) {
		const changed = Buffer.from(sealed);
		changed[at] = (changed[at] ?? 0) ^ 1;
		expect(seal.open(changed)).toBeNull();
	}
	expect(seal.open(new Uint8Array(3))).toBeNull();
});
