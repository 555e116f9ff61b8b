// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A dollar that anybody mints. Nothing of it is in storage, so its code may be placed at the address that the real one has.
contract SandboxDollar is ERC20 {
	constructor() ERC20("", "") {}

	function name() public pure override returns (string memory) {
		return "Global Dollar";
	}

	function symbol() public pure override returns (string memory) {
		return "USDG";
	}

	function decimals() public pure override returns (uint8) {
		return 6;
	}

	function mint(address to, uint256 amount) external {
		_mint(to, amount);
	}
}
