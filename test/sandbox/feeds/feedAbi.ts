import { parseAbi } from "viem";

/** The functions of a SandboxFeed. */
export const feedAbi = parseAbi([
	"constructor(string about)",
	"function publish(int192 answer)",
	"function decimals() view returns (uint8)",
	"function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)",
	"function getRoundData(uint80 id) view returns (uint80, int256, uint256, uint256, uint80)",
]);
