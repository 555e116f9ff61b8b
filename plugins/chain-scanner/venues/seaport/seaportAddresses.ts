import type { Address } from "#core/chain/Hex.ts";

/**
 * The addresses of the canonical deployments, on every chain that has them.
 *
 * Forks emit the same topics with terms of their own, so nothing outside this list is Seaport.
 */
export const seaportAddresses: readonly Address[] = [
	"0x00000000006c3852cbef3e08e8df289169ede581", // 1.1
	"0x00000000000006c7676171937c444f6bde3d6282", // 1.2
	"0x0000000000000ad24e80fd803c6ac37206a45f15", // 1.3
	"0x00000000000001ad428e4906ae43d8f9852d0dd6", // 1.4
	"0x00000000000000adc04c56bf30ac9d3c0aaf14dc", // 1.5
	"0x0000000000000068f116a894984e2db1123eb395", // 1.6
];
