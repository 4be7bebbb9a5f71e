-- Neovim's own client with `cdrc lsp --foreign`: opens a launch script and writes what the server says of it as JSON.
-- Arguments by environment: CDR_SERVER (a command, its words as JSON), CDR_FILE, CDR_OUT.
local file, out = vim.env.CDR_FILE, vim.env.CDR_OUT
local found = {}

local function run()
  vim.cmd("edit " .. vim.fn.fnameescape(file))
  local buffer = vim.api.nvim_get_current_buf()
  local command = vim.json.decode(vim.env.CDR_SERVER)
  local options = { name = "cdrc-foreign", cmd = command, root_dir = vim.fn.fnamemodify(file, ":h") }
  local id
  if vim.lsp.start then
    id = vim.lsp.start(options, { bufnr = buffer })
  else
    id = vim.lsp.start_client(options)
    vim.lsp.buf_attach_client(buffer, id)
  end
  vim.wait(60000, function() return #vim.diagnostic.get(buffer) > 0 end, 10)
  found.diagnostics = vim.tbl_map(function(d)
    return { line = d.lnum, message = d.message }
  end, vim.diagnostic.get(buffer))
  local function ask(method, line, character)
    local params = {
      textDocument = { uri = vim.uri_from_bufnr(buffer) },
      position = { line = line, character = character },
    }
    for _, answer in pairs(vim.lsp.buf_request_sync(buffer, method, params, 60000) or {}) do
      return answer.result
    end
  end
  found.hover = ask("textDocument/hover", 2, 6)
  found.completion = ask("textDocument/completion", 3, 6)
end

local ok, problem = pcall(run)
if not ok then found.problem = problem end
local handle = assert(io.open(out, "w"))
handle:write(vim.fn.json_encode(found))
handle:close()
vim.cmd("qall!")
