: << 'WINDOWS'
@echo off
rem Runs the hook that is named first, with the shell of Git for Windows. Without a shell it does nothing, silently.
if "%~1"=="" exit /b 0
for %%S in ("%ProgramFiles%\Git\bin\bash.exe" "%LocalAppData%\Programs\Git\bin\bash.exe") do (
    if exist "%%~S" (
        "%%~S" "%~dp0%~1"
        exit /b
    )
)
where bash >nul 2>nul
if errorlevel 1 exit /b 0
bash "%~dp0%~1"
exit /b
WINDOWS
[ "$#" -gt 0 ] || exit 0
exec sh "$(dirname "$0")/$1"
