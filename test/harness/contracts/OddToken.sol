// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// An ERC-20 whose transfers do what they are told to, in `mode`: honest (0), logs and moves nothing
/// (1), takes twice as much (2), keeps 2 % and logs all (3), keeps 2 % and says so (4), answers false
/// (5), answers nothing (6), hides its balances (7), reverts (8), logs nothing (9). Where it is `sly` it is honest in
/// whatever pays no gas: a simulation.
contract OddToken {
	event Transfer(address indexed from, address indexed to, uint256 amount);
	event Approval(address indexed owner, address indexed spender, uint256 amount);

	uint256 public mode;
	bool public sly;
	mapping(address => uint256) private held;
	mapping(address => mapping(address => uint256)) public allowance;

	function set(uint256 next, bool isSly) external {
		mode = next;
		sly = isSly;
	}

	function mint(address to, uint256 amount) external {
		held[to] += amount;
		emit Transfer(address(0), to, amount);
	}

	function decimals() external pure returns (uint8) {
		return 18;
	}

	function symbol() external pure returns (string memory) {
		return "USDC";
	}

	function balanceOf(address account) external view returns (uint256) {
		require(how() != 7, "hidden");
		return held[account];
	}

	function approve(address spender, uint256 amount) external returns (bool) {
		allowance[msg.sender][spender] = amount;
		emit Approval(msg.sender, spender, amount);
		return true;
	}

	function transfer(address to, uint256 amount) external returns (bool) {
		return move(msg.sender, to, amount);
	}

	function transferFrom(address from, address to, uint256 amount) external returns (bool) {
		allowance[from][msg.sender] -= amount;
		return move(from, to, amount);
	}

	function how() private view returns (uint256) {
		return sly && tx.gasprice == 0 ? 0 : mode;
	}

	function burn() private pure returns (uint256 burnt) {
		for (uint256 i = 0; i < 200; i++) burnt = uint256(keccak256(abi.encode(burnt, i)));
	}

	function move(address from, address to, uint256 amount) private returns (bool) {
		uint256 now_ = how();
		require(now_ != 8, "no");
		// A trial takes more gas than the transfer that it hides, or that one would fail for gas.
		if (now_ != mode) require(burn() != 1);
		if (now_ == 5) return false;
		uint256 kept = now_ == 3 || now_ == 4 ? amount / 50 : 0;
		if (now_ != 1) {
			held[from] -= now_ == 2 ? 2 * amount : amount;
			held[to] += amount - kept;
		}
		if (now_ != 9) emit Transfer(from, to, now_ == 4 ? amount - kept : amount);
		if (now_ == 4) {
			held[address(this)] += kept;
			emit Transfer(from, address(this), kept);
		}
		if (now_ == 6) {
			assembly {
				return(0, 0)
			}
		}
		return true;
	}
}
